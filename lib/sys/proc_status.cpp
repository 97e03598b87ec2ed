#include "sys/proc_status.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "sys/directory.hpp"
#include "sys/library.hpp"
#include "sys/signals.hpp"

namespace chorus::sys {
namespace {

std::vector<pid_t> numeric_entries(const char* path) {
    std::vector<pid_t> numbers;
    const DirectoryStream directory(opendir(path));
    while (const dirent* entry = next_entry(directory.get())) {
        const long number = std::strtol(entry->d_name, nullptr, 10);
        if (number > 0) numbers.push_back(static_cast<pid_t>(number));
    }
    return numbers;
}

}  // namespace

std::optional<std::string> read_proc(const std::string& path) {
    const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::string text;
    if (!file || !try_read_all(file.get(), SIZE_MAX, text)) return std::nullopt;
    return text;
}

// proc(5): the fields from the third on follow the last parenthesis; the name may contain some.
std::optional<Status> status_of(std::int64_t pid) {
    const auto text = read_proc("/proc/" + std::to_string(pid) + "/stat");
    const std::size_t name_end = text ? text->rfind(')') : std::string::npos;
    if (name_end == std::string::npos || name_end + 2 > text->size()) return std::nullopt;
    const auto fields = base::split(std::string_view(*text).substr(name_end + 2), ' ');
    if (fields.size() < 20 || fields[0].empty()) return std::nullopt;
    const auto number = [&](std::size_t index, auto& value) {
        std::string_view field = fields[index];
        value = base::take_number<std::decay_t<decltype(value)>>(field).value_or(0);
    };
    Status status;
    status.state = fields[0][0];
    number(1, status.parent);
    number(2, status.group);
    number(3, status.session);
    number(19, status.start);
    return status;
}

namespace {

std::vector<pid_t> children_by_scan(pid_t parent) {
    std::vector<pid_t> children;
    for (const pid_t pid : numeric_entries("/proc")) {
        const auto status = status_of(pid);
        if (status && status->parent == parent) children.push_back(pid);
    }
    return children;
}

}  // namespace

// A kernel without CONFIG_PROC_CHILDREN needs a scan of all processes.
std::vector<pid_t> children_of(pid_t parent) {
    const std::string tasks = "/proc/" + std::to_string(parent) + "/task";
    std::vector<pid_t> children;
    for (const pid_t thread : numeric_entries(tasks.c_str())) {
        const auto text = read_proc(tasks + "/" + std::to_string(thread) + "/children");
        if (!text) {
            if (thread == parent) return children_by_scan(parent);
            continue;
        }
        for (std::string_view word : base::split(*text, ' '))
            if (const auto pid = base::take_number<pid_t>(word); pid > 0) children.push_back(*pid);
    }
    return children;
}

Identity identity_of(pid_t pid) {
    const auto status = status_of(pid);
    return {pid, status ? status->start : 0};
}

Fd open_pidfd(pid_t pid) {
    return Fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

namespace {

// Opens the descriptor before it compares: from then on the descriptor refers to this process only.
bool send(const Identity& identity, int signal, const siginfo_t* info) {
    if (identity.pid <= 0) return false;
    const Fd process = open_pidfd(static_cast<pid_t>(identity.pid));
    if (!process || !is_alive(identity)) return false;
    return syscall(SYS_pidfd_send_signal, process.get(), signal, info, 0) == 0;
}

}  // namespace

bool signal_process(const Identity& identity, int signal) {
    return send(identity, signal, nullptr);
}

bool ask_to_end(const Identity& identity) {
    const siginfo_t request = end_request();
    if (!send(identity, SIGTERM, &request)) return false;
    signal_process(identity, SIGCONT);
    return true;
}

Identity own_identity() {
    return identity_of(getpid());
}

std::vector<Identity> ancestors() {
    std::vector<Identity> all;
    for (pid_t pid = getppid(); pid > 0;) {
        const auto status = status_of(pid);
        all.push_back({pid, status ? status->start : 0});
        pid = status ? status->parent : 0;
    }
    return all;
}

std::vector<Identity> descendants(const Identity& identity) {
    std::vector<Identity> all;
    const auto add_children = [&all](const Identity& parent) {
        for (const pid_t child : children_of(static_cast<pid_t>(parent.pid)))
            all.push_back(identity_of(child));
    };
    if (is_alive(identity)) add_children(identity);
    for (std::size_t i = 0; i < all.size(); ++i) add_children(Identity(all[i]));
    return all;
}

// A zombie has ended: only its number is left.
bool is_alive(const Identity& identity) {
    const auto status = identity.pid > 0 ? status_of(identity.pid) : std::nullopt;
    return status && status->start == identity.start && status->state != 'Z' &&
           status->state != 'X';
}

std::string boot_id() {
    const auto text = read_proc("/proc/sys/kernel/random/boot_id");
    if (!text) throw base::system_error("/proc/sys/kernel/random/boot_id");
    return std::string(base::trim(*text));
}

std::string executable_path() {
    std::string path = link_target(AT_FDCWD, "/proc/self/exe");
    if (path.empty()) throw base::system_error("/proc/self/exe");
    return path;
}

std::string program_beside(const std::string& name) {
    return installed_places().front() + name;
}

}  // namespace chorus::sys
