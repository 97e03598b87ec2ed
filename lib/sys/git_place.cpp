#include "sys/git_place.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"
#include "sys/place.hpp"

namespace chorus::sys {
namespace {

constexpr std::size_t most_config_bytes = 1U << 20;
constexpr std::size_t most_path_bytes = 8U << 10;

GitPlace problem(const std::string& path, const std::string& why) {
    return {{}, {}, path + ": " + why};
}

// "" of what git cannot use either: unreadable, no regular file, or too long.
std::string text_of(const std::string& path, std::size_t most) {
    const Fd file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
    struct stat status {};
    std::string text;
    const bool is_read = file && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
                         try_read_all(file.get(), most, text);
    return is_read ? text : "";
}

std::string below(const std::string& directory, std::string_view path) {
    return path.starts_with('/') ? std::string(path) : directory + "/" + std::string(path);
}

// The directory that the text of a file in `directory` names, or "".
std::string directory_named(const std::string& directory, std::string_view path) {
    path = base::trim(path);
    if (path.empty() || path.find_first_of(std::string_view("\0\n", 2)) != path.npos) return {};
    const auto found = resolved(below(directory, path));
    return found && is_directory(*found) ? *found : "";
}

// git quotes a path that has a comment character or outer blanks.
std::string unquoted(std::string_view value) {
    std::string plain;
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (value[i] == '"') continue;
        if (value[i] == '\\' && i + 1 < value.size()) ++i;
        plain += value[i];
    }
    return plain;
}

struct Core {
    std::optional<std::string> worktree;
    bool bare = false;
};

Core core_of(std::string_view config) {
    Core core;
    bool in_core = false;
    for (std::string_view line : base::split_lines(config)) {
        line = base::trim(line);
        if (line.starts_with('[')) {
            const std::size_t end = line.find(']');
            const std::string section(base::trim(line.substr(1, end - 1)));
            in_core = base::to_lower_ascii(section) == "core";
            line = end == line.npos ? "" : base::trim(line.substr(end + 1));
        }
        const std::size_t equals = line.find('=');
        const std::string key = base::to_lower_ascii(base::trim(line.substr(0, equals)));
        const auto value = equals == line.npos ? "" : base::trim(line.substr(equals + 1));
        if (in_core && key == "worktree") core.worktree = unquoted(value);
        if (in_core && key == "bare") core.bare = base::to_lower_ascii(value) != "false";
    }
    return core;
}

// With extensions.worktreeConfig git keeps core.worktree in the second file.
Core core_in(const std::string& git) {
    const auto text = [&](const char* name) {
        return text_of(git + name, most_config_bytes) + "\n";
    };
    return core_of(text("/config") + text("/config.worktree"));
}

GitPlace own_directory(const std::string& workspace, const std::string& git) {
    const std::string commondir = git + "/commondir";
    if (exists(commondir) && directory_named(git, text_of(commondir, most_path_bytes)) != git)
        return problem(commondir, "leads out of the workspace");
    const Core core = core_in(git);
    const bool is_own = !core.worktree || directory_named(git, *core.worktree) == workspace;
    if (core.bare || !is_own)
        return problem(git + "/config", "core.worktree or core.bare belongs to another directory");
    return {git, git, {}};
}

// As `git worktree add` lays it out, so that nothing but worktrees/X of that repository is meant.
GitPlace linked_worktree(const std::string& file, const std::string& git) {
    const std::string common = directory_named(git, text_of(git + "/commondir", most_path_bytes));
    const std::string back = text_of(git + "/gitdir", most_path_bytes);
    const std::string named = below(git, base::trim(back));
    const bool is_beneath = !common.empty() && git.starts_with(common + "/worktrees/");
    const auto parent = resolved(named.substr(0, named.rfind('/')));
    if (!is_beneath || !named.ends_with("/.git") || !parent || *parent + "/.git" != file)
        return problem(git + "/gitdir", "does not name " + file);
    return {git, common, {}};
}

GitPlace submodule(const std::string& workspace, const std::string& file, const std::string& git) {
    const Core core = core_in(git);
    if (!core.worktree || directory_named(git, *core.worktree) != workspace)
        return problem(file, "leads to " + git + ", whose core.worktree is not " + workspace);
    return {git, git, {}};
}

GitPlace elsewhere(const std::string& workspace, const std::string& file) {
    constexpr std::string_view prefix = "gitdir:";
    const std::string text = text_of(file, most_path_bytes);
    if (!text.starts_with(prefix))
        return problem(file, "neither a directory nor the file of a worktree or submodule");
    const std::string_view path = std::string_view(text).substr(prefix.size());
    const std::string git = directory_named(workspace, path);
    if (git.empty()) return problem(file, "leads to a directory that is not there");
    if (is_within(git, workspace)) return problem(file, "leads to a directory of the workspace");
    return exists(git + "/commondir") ? linked_worktree(file, git)
                                      : submodule(workspace, file, git);
}

}  // namespace

GitPlace find_git(const std::string& workspace) {
    const auto real = resolved(workspace);
    if (!real) return {};
    const std::string git = *real + "/.git";
    const auto status = link_status(git);
    if (!status) return {};
    if (S_ISDIR(status->st_mode)) return own_directory(*real, git);
    if (S_ISREG(status->st_mode)) return elsewhere(*real, git);
    return problem(git, "neither a directory nor the file of a worktree or submodule");
}

}  // namespace chorus::sys
