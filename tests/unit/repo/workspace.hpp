// A workspace in a temporary directory, and the git a person would type as the judge of it.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "repo/repository.hpp"

namespace chorus::repo {

inline std::string commit_in(Repository repository, const std::string& message,
                             const std::vector<std::string>& files, const Author& author) {
    const PlannedCommit planned = repository.plan_commit(message, files, author);
    planned.finish();
    return planned.id;
}

class WorkspaceTest : public testing::Test {
  protected:
    WorkspaceTest() {
        // In memory where that can be: every commit syncs a dozen files.
        const bool in_memory = access("/dev/shm", W_OK) == 0;
        std::string name = in_memory ? "/dev/shm/chorus-repo-XXXXXX" : "/tmp/chorus-repo-XXXXXX";
        directory_ = std::filesystem::canonical(mkdtemp(name.data()));
        std::filesystem::create_directory(workspace());
    }
    ~WorkspaceTest() override { std::filesystem::remove_all(directory_); }

    std::string directory() const { return directory_; }
    std::string workspace() const { return directory_ + "/w"; }
    std::string path(const std::string& name) const { return workspace() + "/" + name; }

    void write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
        std::ofstream(path(name), std::ios::binary) << text;
    }
    std::string read(const std::string& name) const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void remove(const std::string& name) const { std::filesystem::remove_all(path(name)); }
    void link(const std::string& target, const std::string& name) const {
        std::filesystem::create_symlink(target, path(name));
    }
    bool exists(const std::string& name) const {
        return std::filesystem::exists(std::filesystem::symlink_status(path(name)));
    }

    // What a command prints; "failed: …" where it does not exit 0.
    std::string shell(const std::string& command) const {
        const std::string line = "cd '" + workspace() + "' && export HOME='" + directory_ +
                                 "' GIT_CONFIG_NOSYSTEM=1 LC_ALL=C && exec 2>&1; " + command;
        FILE* pipe = popen(line.c_str(), "r");
        std::string output;
        for (int c = 0; (c = std::fgetc(pipe)) != EOF;) output += static_cast<char>(c);
        const int status = pclose(pipe);
        return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? output : "failed: " + output;
    }
    std::string git(const std::string& arguments) const {
        return shell("git -c user.name=p -c user.email=p@x " + arguments);
    }

    Repository initialise() const { return Repository::initialise(workspace(), author); }
    Repository open() const {
        const std::string real = std::filesystem::canonical(workspace()).string();
        return std::move(Repository::open(real).value());
    }
    std::string commit(const std::string& message,
                       const std::vector<std::string>& files = {}) const {
        return commit_in(open(), message, files, author);
    }

    const Author author{"alice", "alice@chorus.local"};

  private:
    std::string directory_;
};

// The message of the Error that `act` throws.
template <typename Act>
std::string message_of(Act act, base::ErrorCode code = base::ErrorCode::failed) {
    try {
        act();
    } catch (const base::Error& error) {
        EXPECT_EQ(error.code(), code);
        return error.message();
    }
    return "nothing was thrown";
}

#define EXPECT_CLEAN_FSCK() EXPECT_EQ(git("fsck --strict --no-dangling --no-progress"), "")

}  // namespace chorus::repo
