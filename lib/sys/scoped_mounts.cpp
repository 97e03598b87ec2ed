#include "sys/scoped_mounts.hpp"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sys/beneath.hpp"
#include "sys/directory.hpp"
#include "sys/file.hpp"
#include "sys/mounts.hpp"
#include "sys/open_beneath.hpp"
#include "sys/sandbox.hpp"

namespace chorus::sys {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;  // relative to the workspace; "." is the workspace

constexpr std::size_t most_walked = 500'000;
constexpr std::size_t most_masked = 1'000;

base::Error scope_error(const std::string& why) {
    return {base::ErrorCode::failed, "commands cannot be held to the agent's paths: " + why};
}

bool is_inside(const std::string& path, const std::string& directory) {
    return directory == "." || path == directory || path.starts_with(directory + "/");
}

// What two lists of directories have in common.
Paths common(const Paths& one, const Paths& other) {
    Paths both;
    for (const std::string& left : one)
        for (const std::string& right : other) {
            if (is_inside(left, right))
                both.push_back(left);
            else if (is_inside(right, left))
                both.push_back(right);
        }
    std::sort(both.begin(), both.end());
    both.erase(
        std::unique(both.begin(), both.end(),
                    [](const auto& before, const auto& path) { return is_inside(path, before); }),
        both.end());
    return both;
}

// What cannot be mounted is left out.
Paths directories_of(const std::vector<std::string>& globs) {
    Paths directories;
    for (const std::string& glob : globs)
        if (auto directory = mounted_directory(glob)) directories.push_back(std::move(*directory));
    return directories;
}

std::string below(const std::string& workspace, const std::string& path) {
    return path == "." ? workspace : workspace + "/" + path;
}

enum class Shown { whole, read_only, masked };

Shown shown_by(const PathRules& rules, const std::string& path, bool is_directory,
               bool shows_history) {
    Shown shown = Shown::whole;
    for (const std::string& glob : rules.deny) {
        const bool is_readable =
            glob == "**/node_modules/**" || (glob == "**/.git/**" && shows_history);
        const bool is_tree = is_directory && glob.ends_with("/**") &&
                             glob_matches(std::string_view(glob).substr(0, glob.size() - 3), path);
        if (!is_tree && !glob_matches(glob, path)) continue;
        if (!is_readable) return Shown::masked;
        shown = Shown::read_only;
    }
    return shown;
}

// Whether every rule allows it for what is in the directory.
template <typename Rule>
bool is_open(const std::vector<PathRules>& rules, const std::string& directory, Rule why_not) {
    const std::string inside = directory == "." ? "x" : directory + "/x";
    return std::all_of(rules.begin(), rules.end(),
                       [&](const PathRules& each) { return (each.*why_not)(inside).empty(); });
}

// What is mounted over is not walked.
void mount_denied(Mounts& mounts, const std::string& workspace, const std::string& top,
                  const std::vector<PathRules>& rules, std::size_t& walked) {
    const bool shows_history = std::all_of(
        rules.begin(), rules.end(), [](const PathRules& each) { return each.shows_history(); });
    std::size_t masked = 0;
    std::error_code error;
    fs::recursive_directory_iterator entries(below(workspace, top),
                                             fs::directory_options::skip_permission_denied, error);
    for (const auto end = fs::recursive_directory_iterator(); !error && entries != end;
         entries.increment(error)) {
        if (++walked > most_walked) throw scope_error("there are too many files");
        const std::string path = entries->path().string();
        const std::string inside = path.substr(workspace.size() + 1);
        std::error_code unknown;
        const bool is_directory =
            entries->symlink_status(unknown).type() == fs::file_type::directory;
        Shown shown = Shown::whole;
        for (const PathRules& each : rules)
            shown = std::max(shown, shown_by(each, inside, is_directory, shows_history));
        if (shown == Shown::whole) continue;
        if (is_directory) entries.disable_recursion_pending();
        if (entries->is_symlink(unknown)) continue;  // what it leads to is masked by its own path
        if (++masked > most_masked)
            throw scope_error("paths.deny matches more than " + std::to_string(most_masked) +
                              " files");
        if (shown == Shown::masked)
            mounts.mask(path);
        else
            mounts.make_read_only(path);
    }
}

}  // namespace

std::optional<std::string> mounted_directory(std::string_view glob) {
    if (glob == "**") return ".";
    if (glob.ends_with("/**")) glob.remove_suffix(3);
    if (glob.empty() || glob.starts_with('/') ||
        glob.find_first_of("*?[\\") != std::string_view::npos)
        return std::nullopt;
    for (const std::string_view name : base::split(glob, '/'))
        if (name == ".." || name.empty()) return std::nullopt;
    return std::string(glob);
}

std::string why_not_mounted(const std::vector<PathRules>& rules) {
    for (const PathRules& each : rules)
        for (const std::string& glob : each.read.value_or(std::vector<std::string>()))
            if (!mounted_directory(glob) && glob != "/tmp/**")
                return "paths.read: " + glob + " is neither a directory nor DIRECTORY/**";
    return {};
}

void add_scoped(Mounts& mounts, const std::string& workspace, const std::vector<PathRules>& rules) {
    if (const std::string why = why_not_mounted(rules); !why.empty()) throw scope_error(why);
    Paths readable{"."};
    Paths writable{"."};
    for (const PathRules& each : rules) {
        if (each.read) readable = common(readable, directories_of(*each.read));
        if (each.write) writable = common(writable, directories_of(*each.write));
    }
    writable = common(writable, readable);
    const auto is_missing = [&](const std::string& path) {
        return !open_real(below(workspace, path), O_PATH | O_DIRECTORY);
    };
    std::erase_if(readable, [&](const std::string& path) {
        return is_missing(path) || !is_open(rules, path, &PathRules::why_not_read);
    });
    std::erase_if(writable, [&](const std::string& path) {
        return is_missing(path) || !is_open(rules, path, &PathRules::why_not_written);
    });
    if (readable != Paths{"."}) mounts.put(workspace, {"--dir", workspace});
    for (const std::string& path : readable)
        mounts.bind(below(workspace, path), below(workspace, path));
    for (const std::string& path : writable) mounts.bind_writable(below(workspace, path));
    std::size_t walked = 0;
    for (const std::string& path : readable) mount_denied(mounts, workspace, path, rules, walked);
}

}  // namespace chorus::sys
