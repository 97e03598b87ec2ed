// The process that does the git work for this one: chorus-git, confined to a workspace and its git
// directory. For this room's own use.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/limits.hpp"
#include "repo/message.hpp"
#include "sys/confined.hpp"

namespace chorus::repo {

class GitProcess {
  public:
    // `patience_ms`: how long a call may neither answer nor have of the processor.
    GitProcess(const sys::Confinement& confinement, std::vector<std::string> environment,
               std::int64_t patience_ms = base::limits::stall_ms);
    GitProcess(const GitProcess&) = delete;
    GitProcess& operator=(const GitProcess&) = delete;
    ~GitProcess();

    // What it answers; throws the error it answers, and Error(failed) where it has ended or, as
    // `silence` ("clone: the server was silent"), where its patience has. From several threads one
    // call comes after the other.
    Message call(const Message& request, std::string_view silence = "git: nothing moved");
    // For a destructor: nothing is thrown.
    void try_call(const Message& request) noexcept;
    bool has_ended();
    pid_t pid() const { return static_cast<pid_t>(process_.identity.pid); }

  private:
    void wait_for_answer(std::string_view silence);
    [[noreturn]] void tell_its_end();

    const std::int64_t patience_ms_;
    const bool needs_mounts_;
    std::mutex mutex_;
    sys::ConfinedProcess process_;
    bool has_ended_ = false;
};

// The one of this process for that workspace (a path without links) and umask, started where there
// is none.
std::shared_ptr<GitProcess> git_process_of(const std::string& workspace, unsigned umask);
// It ends once no repository uses it.
void let_git_process_go();

}  // namespace chorus::repo
