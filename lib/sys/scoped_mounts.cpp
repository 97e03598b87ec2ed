#include "sys/scoped_mounts.hpp"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <map>

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

// What of a workspace is mounted over. A directory above what is denied is kept in its place: moved
// away, its content would have paths that nothing denies.
class Denied {
  public:
    Denied(const std::string& workspace, const std::vector<PathRules>& rules)
        : workspace_(workspace), rules_(rules) {
        shows_history_ = std::all_of(rules.begin(), rules.end(),
                                     [](const PathRules& each) { return each.shows_history(); });
    }

    // Walks a directory, but not below what is hidden.
    void look_in(const std::string& top) {
        std::vector<Place> waiting{{top, false}};
        while (!waiting.empty()) {
            const Place place = std::move(waiting.back());
            waiting.pop_back();
            std::error_code error;
            fs::directory_iterator entries(below(workspace_, place.path), error);
            if (error == std::errc::permission_denied) {
                // a command that may change its mode would read what is in it
                add(place.path, Shown::masked);
                continue;
            }
            for (; !error && entries != fs::directory_iterator(); entries.increment(error))
                look_at(place, *entries, waiting);
            // one that is gone has nothing to hide
            if (error && error != std::errc::no_such_file_or_directory)
                throw scope_error(place.path + ": " + error.message());
        }
    }
    // A directory that a rule names through a link has another path.
    void look_at_links() {
        for (const PathRules& each : rules_)
            for (const std::string& directory : directories_of(each.deny)) add_target(directory);
    }

    void mount(Mounts& mounts, const std::vector<std::string>& writable) const {
        const auto is_writable = [&](const std::string& path) {
            return std::any_of(writable.begin(), writable.end(), [&](const std::string& directory) {
                return directory != path && is_inside(path, directory);
            });
        };
        // a mount hides those below it that were made before: from the top
        std::map<std::string, Shown> all = found_;
        for (const auto& [path, shown] : found_)
            for (std::size_t end = path.find('/'); end != std::string::npos;
                 end = path.find('/', end + 1))
                all.emplace(path.substr(0, end), Shown::whole);
        for (const auto& [path, shown] : all) {
            const std::string whole = below(workspace_, path);
            if (shown == Shown::masked)
                mounts.mask(whole);
            else if (is_writable(path) && shown == Shown::read_only)
                mounts.make_read_only(whole);
            else if (is_writable(path) && !mounts.has(whole))
                mounts.keep_in_place(whole);
        }
    }

  private:
    struct Place {
        std::string path;
        bool is_read_only;  // mounted so, as a whole
    };

    void look_at(const Place& place, const fs::directory_entry& entry,
                 std::vector<Place>& waiting) {
        if (++walked_ > most_walked) throw scope_error("there are too many files");
        const std::string name = entry.path().filename().string();
        const std::string path = place.path == "." ? name : place.path + "/" + name;
        std::error_code unknown;
        const auto type = entry.symlink_status(unknown).type();
        // so is a directory of which something cannot be looked at: it may be listed, but not
        // entered, or the path is too long to be mounted
        if (unknown && unknown != std::errc::no_such_file_or_directory)
            return add(place.path, Shown::masked);
        const bool is_directory = type == fs::file_type::directory;
        Shown shown = Shown::whole;
        for (const PathRules& each : rules_)
            shown = std::max(shown, shown_by(each, path, is_directory, shows_history_));
        if (type == fs::file_type::symlink) {
            if (shown == Shown::masked) add_target(path);
            return;
        }
        const bool is_mounted =
            shown == Shown::masked || (shown == Shown::read_only && !place.is_read_only);
        if (is_mounted) add(path, shown);
        // git's own files are not walked
        if (is_directory && shown != Shown::masked && name != ".git")
            waiting.push_back({path, place.is_read_only || shown == Shown::read_only});
    }
    // Hides what the path leads to, if that is in the workspace and elsewhere.
    void add_target(const std::string& path) {
        const auto real = resolved(below(workspace_, path));
        if (!real || !real->starts_with(workspace_ + "/")) return;
        add(real->substr(workspace_.size() + 1), Shown::masked);
    }
    void add(const std::string& path, Shown shown) {
        found_[path] = std::max(found_[path], shown);
        if (found_.size() > most_masked)
            throw scope_error("paths.deny matches more than " + std::to_string(most_masked) +
                              " files");
    }

    const std::string& workspace_;
    const std::vector<PathRules>& rules_;
    bool shows_history_ = false;
    std::map<std::string, Shown> found_;
    std::size_t walked_ = 0;
};

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
        const Paths read = each.read ? directories_of(*each.read) : Paths{"."};
        for (const std::string& path : read)
            if (is_regular_file(below(workspace, path)))
                throw scope_error("paths.read: " + path + " is a file, not a directory");
        readable = common(readable, read);
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
    Denied denied(workspace, rules);
    for (const std::string& path : readable) denied.look_in(path);
    denied.look_at_links();
    denied.mount(mounts, writable);
}

}  // namespace chorus::sys
