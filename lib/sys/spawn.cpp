#include "sys/spawn.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>

#include "base/handle.hpp"

namespace chorus::sys {
namespace {

using Actions = posix_spawn_file_actions_t;

void set_up(posix_spawnattr_t& attributes) {
    sigset_t signals;
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

void connect(Actions& actions, int source, int target) {
    if (source >= 0) {
        posix_spawn_file_actions_adddup2(&actions, source, target);
    } else {
        posix_spawn_file_actions_addopen(&actions, target, "/dev/null",
                                         target == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
    }
}

// Closes everything from 3 on except `kept`: not all descriptors of the libraries are
// close-on-exec.
void close_the_rest(Actions& actions, std::vector<int> kept) {
    std::sort(kept.begin(), kept.end());
    int next = 3;
    for (const int fd : kept) {
        for (; next < fd; ++next) posix_spawn_file_actions_addclose(&actions, next);
        // Onto itself: posix_spawn then clears close-on-exec.
        posix_spawn_file_actions_adddup2(&actions, fd, fd);
        next = std::max(next, fd + 1);
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, next);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
    result.push_back(nullptr);
    return result;
}

// Returns 0 where it can be executed, else an error number.
int check_program(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return errno;
    if (!S_ISREG(status.st_mode)) return EACCES;
    return faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

// posix_spawn does not say whether the directory or the program was at fault.
base::Error start_error(const ProcessCommand& command, int problem) {
    if (!command.directory.empty()) {
        const Fd directory(open(command.directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        if (!directory) return base::system_error(command.directory);
    }
    return base::system_error(command.arguments[0], problem);
}

}  // namespace

int find_program(const std::string& name, std::string& path) {
    path = name;
    if (name.starts_with('/')) return check_program(name);
    int problem = ENOENT;
    if (name.empty() || name.find('/') != std::string::npos) return problem;
    for (const char* directory : {"/usr/local/bin/", "/usr/bin/", "/bin/"}) {
        path = directory + name;
        const int found = check_program(path);
        if (found == 0) return 0;
        if (found != ENOENT) problem = found;
    }
    return problem;
}

std::string program_path(const std::string& name) {
    std::string path;
    if (const int problem = find_program(name, path)) throw base::system_error(name, problem);
    return path;
}

std::optional<base::Error> spawn(const ProcessCommand& command, const Streams& streams,
                                 pid_t& pid) {
    std::string program;
    if (const int problem = find_program(command.arguments.at(0), program))
        return base::system_error(command.arguments[0], problem);
    Actions actions;
    posix_spawn_file_actions_init(&actions);
    const base::Handle<Actions, posix_spawn_file_actions_destroy> held_actions(&actions);
    connect(actions, streams.in, STDIN_FILENO);
    connect(actions, streams.out, STDOUT_FILENO);
    connect(actions, streams.err, STDERR_FILENO);
    if (!command.directory.empty())
        posix_spawn_file_actions_addchdir_np(&actions, command.directory.c_str());
    close_the_rest(actions, command.keep_fds);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    const base::Handle<posix_spawnattr_t, posix_spawnattr_destroy> held_attributes(&attributes);
    set_up(attributes);
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    // posix_spawn has no attribute for the umask, and a child inherits that of this process.
    const mode_t before = command.umask ? ::umask(*command.umask) : 0;
    const int problem =
        posix_spawn(&pid, program.c_str(), &actions, &attributes,
                    pointers(command.arguments).data(), pointers(command.environment).data());
    if (command.umask) ::umask(before);
    if (problem != 0) return start_error(command, problem);
    return {};
}

}  // namespace chorus::sys
