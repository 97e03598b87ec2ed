// A directory of its own for each test, and other processes to test against.
#pragma once

#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "support/scratch.hpp"

namespace chorus::sys::test {

using chorus::test::put;
using chorus::test::text_of;

class Scratch : public chorus::test::Scratch {
  public:
    Scratch() : chorus::test::Scratch(chorus::test::Where::disk) {}
};

inline unsigned mode_of(const std::string& path) {
    struct stat status {};
    return lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

inline std::ptrdiff_t count_of(const std::string& directory) {
    return std::distance(std::filesystem::directory_iterator(directory), {});
}

// Forks and runs `body`; ended by SIGALRM where it hangs.
inline pid_t start_child(const std::function<int()>& body) {
    const pid_t child = fork();
    if (child != 0) return child;
    alarm(20);
    _exit(body());
}

inline int wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline int in_child(const std::function<int()>& body) {
    return wait_for(start_child(body));
}

// As a user whom permissions bind, whoever runs the tests; `owned` is given to that user first.
inline int as_ordinary_user(const std::string& owned, const std::function<int()>& body) {
    if (geteuid() != 0) return in_child(body);
    constexpr uid_t nobody = 65534;
    namespace fs = std::filesystem;
    if (lchown(owned.c_str(), nobody, nobody) != 0) return -1;
    for (const auto& entry : fs::recursive_directory_iterator(owned))
        if (lchown(entry.path().c_str(), nobody, nobody) != 0) return -1;
    return in_child([&] {
        if (setgroups(0, nullptr) != 0 || setgid(nobody) != 0 || setuid(nobody) != 0) return 99;
        return body();
    });
}

}  // namespace chorus::sys::test
