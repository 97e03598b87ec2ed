// Tests whether the sandbox works: once per boot, from inside.
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sys/directory.hpp"
#include "sys/fence.hpp"
#include "sys/file.hpp"
#include "sys/git_guard.hpp"
#include "sys/inner.hpp"
#include "sys/sandbox.hpp"

namespace chorus::sys {
namespace {

constexpr std::int64_t self_test_ms = 10'000;
constexpr std::size_t verdict_bytes = 4096;
constexpr std::size_t room_bytes = 16384;  // reports a full disk before the sandbox fails

std::string identity_of_file(const std::string& path) {
    struct stat status {};
    stat(path.c_str(), &status);
    return path + " " + std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) + ":" +
           std::to_string(status.st_size) + ":" + std::to_string(status.st_mtim.tv_sec) + "." +
           std::to_string(status.st_mtim.tv_nsec);
}

// A verdict holds for this boot, this mode and these programs.
std::string verdict_key(const Sandbox& sandbox, const std::string& program) {
    return boot_id() + " " + std::string(name(sandbox.mode)) + " " + identity_of_file(program) +
           " " + identity_of_file(inner_program(sandbox));
}

// Makes a workspace for the self-test with a file that commands may not change, and a file beside
// it. They are kept, because several processes may test at once.
struct Place {
    std::string workspace;
    std::string outside;
};
Place make_place(const std::string& name) {
    make_directory(name);
    const std::string directory = real_path(name);
    const Place place{directory + "/workspace", directory + "/outside"};
    make_directory(place.workspace);
    // not replaced: another test may have it mounted
    const std::string kept = place.workspace + "/.envrc";
    if (!Fd(open(kept.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)))
        throw base::system_error(kept);
    write_file(place.outside, std::string(room_bytes, '\n'));
    return place;
}

// Returns the inode of the network namespace that the command must not be in; "0" for none.
std::string network_to_miss(SandboxMode mode) {
    const auto status = followed_status("/proc/self/ns/net");
    return mode == SandboxMode::workspace && status ? std::to_string(status->st_ino) : "0";
}

constexpr const char* knowingly = "turn the sandbox off: chorus-config set sandbox off";

// For a missing bwrap, or a kernel that refuses it.
base::Error unavailable(const std::string& why, const std::string& remedy) {
    const std::string weaker =
        fence_problem()
            ? knowingly
            : "use the weaker sandbox without bwrap: chorus-config set sandbox landlock";
    return {base::ErrorCode::failed, why, remedy + ", or " + weaker};
}

// Returns nothing with `found` set ("landlock=7"), or why commands cannot be run.
std::optional<base::Error> self_test(const Sandbox& sandbox, const std::string& state_file,
                                     std::string& found) {
    const Place place = make_place(state_file + "-test");
    const Sandbox tested{.mode = sandbox.mode,
                         .workspace = place.workspace,
                         .program = sandbox.program,
                         .inner = sandbox.inner};
    const bool is_fenced = sandbox.mode == SandboxMode::landlock;
    const Finished finished =
        run((is_fenced ? fenced : confined)(
                tested, {.arguments = {"true"}},
                {"--check", place.workspace, place.outside, network_to_miss(sandbox.mode)}),
            {.timeout_ms = self_test_ms, .grace_ms = 0});
    found = base::trim(finished.out.text);
    if (finished.exit_code == 0 && found.starts_with("landlock=")) return {};
    const std::string program = is_fenced ? inner_name : sandbox.program;
    if (finished.timed_out)
        return base::Error(base::ErrorCode::failed, program + ": its self-test timed out");
    const std::string_view said = base::trim(finished.err.text);
    const std::string why = said.empty() ? program + ": its self-test failed"
                                         : base::visible(said.substr(said.rfind('\n') + 1));
    if (is_fenced) return base::Error(base::ErrorCode::failed, why, knowingly);
    return unavailable(why, "see man chorus-sandbox for what it needs, also in a container");
}

// Keeps the verdicts of this boot. A failure is not stored, so that a repair takes effect at once.
void remember(const std::string& state_file, const std::string& known, const std::string& verdict) {
    std::string lines;
    for (const std::string_view line : base::split_lines(known))
        if (line.starts_with(verdict.substr(0, verdict.find(' ')))) lines.append(line).append("\n");
    write_file(state_file, lines + verdict + "\n");
}

bool holds(const std::string& known, const std::string& key) {
    for (const std::string_view line : base::split_lines(known))
        if (line.starts_with(key + " landlock=")) return true;
    return false;
}

}  // namespace

std::optional<base::Error> sandbox_problem(const Sandbox& sandbox, const std::string& state_file) {
    if (auto problem = inner_problem(sandbox)) return problem;
    if (auto problem = rules_problem(sandbox)) return problem;
    if (sandbox.mode == SandboxMode::off) return {};
    if (auto problem = git_problem(sandbox.workspace)) return problem;
    std::string path;
    if (const int problem = find_program(sandbox.shell, path))
        return base::system_error(sandbox.shell, problem);
    if (sandbox.mode == SandboxMode::landlock) {
        if (const auto problem = fence_problem())
            return base::Error(problem->code(), problem->message(), knowingly);
        path = inner_program(sandbox);
    } else if (const int problem = find_program(sandbox.program, path)) {
        return unavailable(base::system_error(sandbox.program, problem).message(),
                           "install bubblewrap");
    }

    const std::string key = verdict_key(sandbox, path);
    const std::string known = read_file_if_there(state_file, verdict_bytes).value_or("");
    if (holds(known, key)) return {};
    const std::string kept_in = state_file.substr(0, state_file.rfind('/'));
    if (faccessat(AT_FDCWD, kept_in.c_str(), W_OK, AT_EACCESS) != 0 && errno == EROFS)
        return base::Error(base::ErrorCode::failed,
                           "the sandbox cannot be tested: " + kept_in + " is read-only");
    std::string found;
    auto problem = self_test(sandbox, state_file, found);
    if (!problem) remember(state_file, known, key + " " + found);
    return problem;
}

std::string why_not_written(const std::string& directory) {
    const auto status = followed_status(directory);
    if (!status) return "which does not exist";
    const bool is_own = status->st_uid == geteuid();
    bool may_write = access(directory.c_str(), W_OK) == 0;
    if (geteuid() == 0)
        may_write = (status->st_mode & (is_own                             ? S_IWUSR
                                       : group_member(status->st_gid) != 0 ? S_IWGRP
                                                                          : S_IWOTH)) != 0;
    if (may_write) return {};
    return is_own ? "whose mode does not let its owner write" : "which belongs to another user";
}

}  // namespace chorus::sys
