// Confines and supervises a command of Chorus: see chorus-sandbox(8). Statically linked, so that it
// starts in a fraction of a millisecond and needs no libraries inside the sandbox.
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "chorus-sandbox/confine.hpp"

namespace chorus::sandbox {
namespace {

constexpr int no_confinement = 125;  // as of timeout(1) and env(1)
constexpr int not_executable = 126;
constexpr int not_found = 127;

[[noreturn]] void refuse_usage() {
    fail("usage: chorus-sandbox confine|watch|fence|git [OPTION]... -- COMMAND [ARGUMENT]...");
}

int parse_descriptor(const char* text) {
    char* end = nullptr;
    const long number = std::strtol(text, &end, 10);
    if (end == text || *end != '\0' || number <= STDERR_FILENO || number > 1 << 20) refuse_usage();
    if (fcntl(static_cast<int>(number), F_SETFD, FD_CLOEXEC) != 0) fail(text, errno);
    return static_cast<int>(number);
}

std::optional<How> how_to_mount(std::string_view word) {
    if (word == "--bound") return How::bound;
    if (word == "--read-only") return How::read_only;
    if (word == "--in-place") return How::in_place;
    if (word == "--hidden") return How::hidden;
    return std::nullopt;
}

Options parse(char** words) {
    const auto take = [&words]() -> const char* {
        if (*words == nullptr) refuse_usage();
        return *words++;
    };
    Options options;
    options.mode = take();
    for (std::string_view word = take(); word != "--"; word = take()) {
        if (word == "--owner") {
            options.owner = parse_descriptor(take());
        } else if (word == "--self" || word == "--hold") {
            parse_descriptor(take());
        } else if (word == "--program") {
            options.program = take();
        } else if (word == "--write") {
            options.writable.push_back(take());
        } else if (const auto how = how_to_mount(word)) {
            const char* path = take();
            options.places.push_back({*how, path, take()});
        } else if (word == "--read") {
            options.readable.push_back(take());
        } else if (word == "--except") {
            options.hidden.push_back(take());
        } else if (word == "--network") {
            options.network = true;
        } else if (word == "--unix-sockets") {
            options.unix_sockets = true;
        } else if (word == "--mounted") {
            options.mounted = true;
        } else if (word == "--socket") {
            options.socket = parse_descriptor(take());
        } else if (word == "--program-fd") {
            options.program_fd = parse_descriptor(take());
        } else if (word == "--check") {
            options.expected.workspace = take();
            options.expected.outside = take();
            options.expected.network = std::strtoul(take(), nullptr, 10);
        } else {
            refuse_usage();
        }
    }
    options.command = words;
    const bool is_complete = options.mode == "git"
                                 ? options.socket >= 0 && options.program_fd >= 0
                                 : options.owner >= 0 && options.program != nullptr;
    if (*options.command == nullptr || !is_complete) refuse_usage();
    return options;
}

// bwrap asks to be killed with its parent. That has no effect if the parent has ended before.
void require_owner(int owner) {
    pollfd wanted{owner, POLLIN, 0};
    if (poll(&wanted, 1, 0) != 0) fail("the owner of this command has ended");
}

// The host's /dev/null is a file outside the sandbox, so that /dev/stdin could not be opened.
void open_null_inside() {
    struct stat status {};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
        if (fstat(fd, &status) != 0 || !S_ISCHR(status.st_mode) || status.st_rdev != makedev(1, 3))
            continue;
        const int inside = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (inside < 0 || dup2(inside, fd) < 0) fail("/dev/null", errno);
        close(inside);
    }
}

[[noreturn]] void confine(const Options& options) {
    open_null_inside();
    mount_places(options.places);
    const int landlock = restrict_files(options.writable);
    restrict_calls();
    test_restrictions(options, landlock);
    require_owner(options.owner);
    become(options.program, options.command);
}

}  // namespace

std::string name_of(int fd) {
    return "/proc/self/fd/" + std::to_string(fd);
}

std::string target_of(const char* link) {
    std::array<char, PATH_MAX> target{};
    const ssize_t size = readlink(link, target.data(), target.size());
    return {target.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

bool is_beneath(std::string_view path, std::string_view directory) {
    return path.starts_with(directory) &&
           (path.size() == directory.size() || path[directory.size()] == '/' || directory == "/");
}

void become(const char* program, char* const* command) {
    execv(program, command);
    const int problem = errno;
    std::fprintf(stderr, "chorus-sandbox: %s: %s\n", program, std::strerror(problem));
    _exit(problem == ENOENT ? not_found : not_executable);
}

void fail(const char* what, int problem) {
    std::fprintf(stderr, "chorus-sandbox: %s: %s\n", what, std::strerror(problem));
    _exit(no_confinement);
}

void fail(const char* what) {
    std::fprintf(stderr, "chorus-sandbox: %s\n", what);
    _exit(no_confinement);
}

}  // namespace chorus::sandbox

int main(int argc, char** argv, char** environment) {
    using namespace chorus::sandbox;
    const Options options = parse(argv + (argc > 0 ? 1 : 0));
    if (options.mode == "confine") confine(options);
    if (options.mode == "git") {
        if (options.mounted) mount_places(options.places);
        become_git(options, environment);
    }
    const bool is_fenced = options.mode == "fence";
    if (!is_fenced && options.mode != "watch") refuse_usage();
    require_owner(options.owner);
    if (!is_fenced) watch(options);
    Fence fence(options);
    watch(options, &fence);
}
