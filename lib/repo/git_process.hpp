// Runs chorus-git, which does the git work, confined to a workspace and its git directory. For this
// room's own use.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.hpp"
#include "repo/git_message.hpp"
#include "sys/fence.hpp"

namespace chorus::repo {

class GitProcess {
  public:
    // `patience_ms`: how long a call may neither answer nor use processor time.
    GitProcess(const sys::Confinement& confinement, std::vector<std::string> environment,
               std::int64_t patience_ms = base::limits::stall_ms);
    GitProcess(const GitProcess&) = delete;
    GitProcess& operator=(const GitProcess&) = delete;
    ~GitProcess();

    // Returns the answer, or throws the error that it contains. Throws Error(failed) if the process
    // has ended, or, with the message `silence` ("clone: the server was silent"), after
    // patience_ms. Calls from several threads run one after the other.
    Message call(const Message& request, std::string_view silence = "git: no progress");
    // For destructors: throws nothing.
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

// Returns the workspace, and the directories of its repository outside it.
std::vector<std::string> workspace_places(const std::string& workspace);
// Returns this process's chorus-git for that workspace (a path without links) and umask; starts one
// if there is none.
std::shared_ptr<GitProcess> git_process_of(const std::string& workspace, unsigned umask);
// Releases the process, which ends once no repository uses it.
void let_git_process_go();

}  // namespace chorus::repo
