#include "repo/git_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "repo/repository.hpp"
#include "sys/environment.hpp"
#include "sys/git_config.hpp"
#include "sys/git_place.hpp"
#include "sys/open_beneath.hpp"

namespace chorus::repo {
namespace {

constexpr std::size_t said_bytes = 4096;

// The last line of a file that another process writes.
std::string last_line_of(int file) {
    const std::string text = sys::read_part(file, 0, said_bytes, "git");
    const std::string_view said = base::trim(text);
    return base::visible(said.substr(said.rfind('\n') + 1));
}

// A process is reused if all of these match.
struct Fitness {
    std::vector<std::string> writable;
    unsigned umask;
    dev_t device;  // identity of the workspace's directory
    ino_t inode;
    bool operator==(const Fitness&) const = default;
};

struct Current {
    std::mutex mutex;
    Fitness fitness;
    std::shared_ptr<GitProcess> process;
};

Current& current() {
    static Current current;
    return current;
}

// Passes on only the variable that fixes the clock.
std::vector<std::string> with_clock(std::vector<std::string> environment) {
    if (const auto fixed = sys::Environment::of_process().find("CHORUS_NOW_MS"))
        environment.push_back("CHORUS_NOW_MS=" + *fixed);
    return environment;
}

}  // namespace

GitProcess::GitProcess(const sys::Confinement& confinement, std::vector<std::string> environment,
                       std::int64_t patience_ms)
    : patience_ms_(patience_ms),
      needs_mounts_(confinement.fence == sys::Fence::mounts),
      process_(sys::start_confined("chorus-git", confinement, with_clock(std::move(environment)))) {
}

GitProcess::~GitProcess() {
    process_.socket.reset();
    sys::signal_process(process_.identity, SIGKILL);
    waitpid(pid(), nullptr, 0);
}

Message GitProcess::call(const Message& request, std::string_view silence) {
    const std::lock_guard guard(mutex_);
    if (has_ended_ || !send(process_.socket.get(), request)) tell_its_end();
    auto answer = receive(process_.socket.get(), [&] { wait_for_answer(silence); });
    if (!answer || answer->empty()) tell_its_end();
    Message& words = *answer;
    if (words.front() != "ok") {
        words.resize(4);  // "error", its code, message and hint
        throw base::Error(base::find_error_code(words[1]).value_or(base::ErrorCode::failed),
                          words[2], words[3]);
    }
    words.erase(words.begin());
    return std::move(words);
}

void GitProcess::try_call(const Message& request) noexcept {
    try {
        call(request);
    } catch (const std::exception&) {
        return;  // the process has ended, and its state with it
    }
}

bool GitProcess::has_ended() {
    const std::lock_guard guard(mutex_);
    pollfd wanted{process_.socket.get(), POLLIN, 0};
    return has_ended_ || poll(&wanted, 1, 0) != 0;
}

// A call may take long. A process that uses no processor time is waiting for a server or a file
// that does not answer.
void GitProcess::wait_for_answer(std::string_view silence) {
    constexpr int steps = 40;
    const int step_ms = static_cast<int>(std::max<std::int64_t>(patience_ms_ / steps, 1));
    pollfd wanted{process_.socket.get(), POLLIN, 0};
    std::int64_t used = -1;
    for (int silent = 0; silent < steps; ++silent) {
        if (poll(&wanted, 1, step_ms) != 0) return;
        const std::int64_t before = std::exchange(used, sys::processor_time_ns(process_.identity));
        if (before != used) silent = -1;
    }
    has_ended_ = true;
    throw base::Error(base::ErrorCode::failed,
                      std::string(silence) + " for " + base::seconds_text(patience_ms_));
}

void GitProcess::tell_its_end() {
    has_ended_ = true;
    const std::string said = last_line_of(process_.errors.get());
    throw base::Error(base::ErrorCode::failed,
                      "git: chorus-git ended" + (said.empty() ? "" : ": " + said),
                      needs_mounts_ && said.starts_with("bwrap") ? sys::what_fences_need : "");
}

std::vector<std::string> workspace_places(const std::string& workspace) {
    const sys::GitPlace place = sys::find_git(workspace);
    if (!place.problem.empty()) throw base::Error(base::ErrorCode::failed, "git: " + place.problem);
    std::vector<std::string> places{workspace};
    if (!place.is_there()) return places;
    sys::check_owner("git", workspace, place);
    for (const std::string& directory : {place.common_directory, place.git_directory})
        if (!(directory + "/").starts_with(places.back() + "/")) places.push_back(directory);
    return places;
}

std::shared_ptr<GitProcess> git_process_of(const std::string& workspace, unsigned umask) {
    const sys::Fd directory = sys::open_real(workspace, O_PATH | O_DIRECTORY);
    struct stat status {};
    if (!directory || fstat(directory.get(), &status) != 0) throw sys::not_opened_real(workspace);
    const Fitness fitness{workspace_places(workspace), umask, status.st_dev, status.st_ino};
    Current& one = current();
    const std::lock_guard guard(one.mutex);
    if (one.process && one.fitness == fitness && !one.process->has_ended()) return one.process;
    one.process = std::make_shared<GitProcess>(
        sys::Confinement{.writable = fitness.writable, .umask = umask}, Message());
    one.fitness = fitness;
    return one.process;
}

std::optional<base::Error> confinement_problem(const std::string& workspace) {
    if (sys::fence_of_this_kernel() == sys::Fence::landlock) return {};
    try {
        git_process_of(workspace, sys::private_umask)->call({"open", workspace});
        return {};
    } catch (const base::Error& error) {
        return error;
    }
}

void let_git_process_go() {
    const std::lock_guard guard(current().mutex);
    current().process.reset();
}

}  // namespace chorus::repo
