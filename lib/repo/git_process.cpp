#include "repo/git_process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "repo/owner.hpp"
#include "sys/environment.hpp"
#include "sys/file.hpp"
#include "sys/git_place.hpp"

namespace chorus::repo {
namespace {

constexpr std::size_t said_bytes = 4096;

// Processes that were let go: each ends by itself, and is reaped when the next one is let go.
class Departed {
  public:
    void add(pid_t pid) {
        const std::lock_guard guard(mutex_);
        pids_.push_back(pid);
        std::erase_if(pids_, [](pid_t each) { return waitpid(each, nullptr, WNOHANG) != 0; });
    }

  private:
    std::mutex mutex_;
    std::vector<pid_t> pids_;
};

Departed& departed() {
    static Departed departed;
    return departed;
}

// The last line of a file that is written by another.
std::string last_line_of(int file) {
    std::string text(said_bytes, '\0');
    const ssize_t size = pread(file, text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    const std::string_view said = base::trim(text);
    return base::visible(said.substr(said.rfind('\n') + 1));
}

base::Error error_in(const Message& answer) {
    const auto text = [&](std::size_t i) { return i < answer.size() ? answer[i] : std::string(); };
    return {base::find_error_code(text(1)).value_or(base::ErrorCode::failed), text(2), text(3)};
}

// What makes a process fit for a workspace: the places it may write in, and which directory the
// workspace is.
struct Current {
    Current() { departed(); }  // which its end needs

    std::mutex mutex;
    std::vector<std::string> writable;
    unsigned umask = 0;
    std::pair<dev_t, ino_t> directory;
    std::shared_ptr<GitProcess> process;
};

Current& current() {
    static Current current;
    return current;
}

// The workspace, and what of its repository lies elsewhere.
std::vector<std::string> places_of(const std::string& workspace) {
    const sys::GitPlace place = sys::find_git(workspace);
    if (!place.problem.empty()) throw base::Error(base::ErrorCode::failed, "git: " + place.problem);
    std::vector<std::string> places{workspace};
    if (!place.is_there()) return places;
    check_owner("git", workspace, place);
    for (const std::string& directory : {place.common_directory, place.git_directory})
        if (!(directory + "/").starts_with(places.back() + "/")) places.push_back(directory);
    return places;
}

// Of this process's environment only what fixes the clock.
std::vector<std::string> environment_of_git() {
    const auto fixed = sys::Environment::of_process().find("CHORUS_NOW_MS");
    return fixed ? std::vector<std::string>{"CHORUS_NOW_MS=" + *fixed} : std::vector<std::string>{};
}

}  // namespace

GitProcess::GitProcess(const sys::Confinement& confinement, std::vector<std::string> environment,
                       std::int64_t patience_ms)
    : patience_ms_(patience_ms),
      process_(sys::start_confined("chorus-git", confinement, std::move(environment))) {}

GitProcess::~GitProcess() {
    process_.socket.reset();
    departed().add(pid());
}

Message GitProcess::call(const Message& request, std::string_view silence) {
    const std::lock_guard guard(mutex_);
    if (has_ended_ || !send(process_.socket.get(), request)) tell_its_end();
    auto answer = receive(process_.socket.get(), [&] { wait_for_answer(silence); });
    if (!answer || answer->empty()) tell_its_end();
    if (answer->front() != "ok") throw error_in(*answer);
    answer->erase(answer->begin());
    return std::move(*answer);
}

void GitProcess::try_call(const Message& request) noexcept {
    try {
        call(request);
    } catch (const std::exception&) {
        return;  // it has ended, and what it held with it
    }
}

bool GitProcess::has_ended() {
    const std::lock_guard guard(mutex_);
    pollfd wanted{process_.socket.get(), POLLIN, 0};
    return has_ended_ || poll(&wanted, 1, 0) != 0;
}

// Anything may take long; what waits for a server or a file that does not answer uses no processor.
void GitProcess::wait_for_answer(std::string_view silence) {
    const int step_ms = static_cast<int>(std::max<std::int64_t>(patience_ms_ / 4, 1));
    pollfd wanted{process_.socket.get(), POLLIN, 0};
    std::int64_t used = -1;
    std::int64_t silent_ms = 0;
    while (poll(&wanted, 1, step_ms) == 0) {
        const std::int64_t used_now = sys::processor_time_ns(process_.identity);
        silent_ms = used_now == used ? silent_ms + step_ms : 0;
        used = used_now;
        if (silent_ms < patience_ms_) continue;
        has_ended_ = true;
        kill(pid(), SIGKILL);
        throw base::Error(
            base::ErrorCode::failed,
            std::string(silence) + " for " + std::to_string((patience_ms_ + 999) / 1000) + " s");
    }
}

void GitProcess::tell_its_end() {
    has_ended_ = true;
    const std::string said = last_line_of(process_.errors.get());
    throw base::Error(base::ErrorCode::failed,
                      "git: chorus-git ended" + (said.empty() ? "" : ": " + said));
}

std::shared_ptr<GitProcess> git_process_of(const std::string& workspace, unsigned umask) {
    struct stat status {};
    if (stat(workspace.c_str(), &status) != 0) throw base::system_error(workspace);
    const std::pair<dev_t, ino_t> directory{status.st_dev, status.st_ino};
    const std::vector<std::string> writable = places_of(workspace);
    Current& one = current();
    const std::lock_guard guard(one.mutex);
    const bool fits = one.process && one.writable == writable && one.umask == umask &&
                      one.directory == directory && !one.process->has_ended();
    if (fits) return one.process;
    one.process = std::make_shared<GitProcess>(
        sys::Confinement{.writable = writable, .umask = umask}, environment_of_git());
    one.writable = writable;
    one.umask = umask;
    one.directory = directory;
    return one.process;
}

void let_git_process_go() {
    const std::lock_guard guard(current().mutex);
    current().process.reset();
}

}  // namespace chorus::repo
