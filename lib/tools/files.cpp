#include "tools/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>

#include "base/handle.hpp"
#include "base/limits.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "tools/effect.hpp"
#include "tools/obeyed.hpp"
#include "tools/patch.hpp"
#include "tools/result.hpp"

namespace chorus::tools {
namespace {

constexpr std::uint64_t lock_bytes = 1ULL << 40;

// FNV-1a, the same in every build, as two versions of Chorus may write at once.
std::uint64_t hash(std::string_view text) {
    std::uint64_t value = 14695981039346656037ULL;
    for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return value;
}

sys::Kind kind_of(int directory, const dirent& entry) {
    struct stat status {};
    if (entry.d_type != DT_UNKNOWN)
        status.st_mode = DTTOIF(entry.d_type);
    else if (fstatat(directory, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return sys::Kind::other;
    return S_ISREG(status.st_mode)   ? sys::Kind::file
           : S_ISDIR(status.st_mode) ? sys::Kind::directory
           : S_ISLNK(status.st_mode) ? sys::Kind::link
                                     : sys::Kind::other;
}

std::string names_like(const sys::Root& root, const std::string& path) {
    const std::string canonical = root.canonical(path);
    if (canonical.empty() || canonical == ".") return {};
    const std::string parent = canonical.substr(0, canonical.rfind('/') + 1);
    sys::Opened directory = root.open_to_read(parent.empty() ? "." : parent);
    if (directory.outcome != sys::OpenOutcome::opened || directory.kind != sys::Kind::directory)
        return {};
    std::vector<std::string> names;
    for (Name& each : read_names(root, std::move(directory))) names.push_back(std::move(each.name));
    std::vector<std::string> near = base::nearest(canonical.substr(parent.size()), names, 3);
    for (std::string& name : near) name = listed(parent + name);
    return near.empty() ? "" : "; did you mean " + base::join(near, " or ") + "?";
}

}  // namespace

std::string path_detail(const Arguments& arguments, const Workplace& workplace) {
    const std::string path = arguments.text("path", ".");
    // a link is no other name for what a pattern denies
    const sys::Opened opened = workplace.root.open_to_read(path);
    if (std::string real = opened.fd ? workplace.root.location(opened) : ""; !real.empty())
        return real;
    const std::string canonical = workplace.root.canonical(path);
    return canonical.empty() ? path : canonical;
}

std::vector<Name> read_names(const sys::Root& root, sys::Opened directory) {
    const std::string path = root.limits().empty() ? "." : root.location(directory);
    const std::string prefix = path == "." ? "" : path + "/";
    const base::Handle<DIR, closedir> stream(fdopendir(directory.fd.get()));
    if (!stream) return {};
    directory.fd.release();
    std::vector<Name> names;
    while (const dirent* entry = readdir(stream.get())) {
        const std::string_view name = entry->d_name;
        if (name == "." || name == ".." || name == ".git") continue;
        Name found{std::string(name), kind_of(dirfd(stream.get()), *entry)};
        if (root.shows(prefix + found.name, found.kind)) names.push_back(std::move(found));
    }
    std::sort(names.begin(), names.end(), [](const Name& one, const Name& other) {
        return one.name + (one.kind == sys::Kind::directory ? "/" : "") <
               other.name + (other.kind == sys::Kind::directory ? "/" : "");
    });
    return names;
}

sys::Opened open_to_read(const sys::Root& root, const std::string& path) {
    sys::Opened opened = root.open_to_read(path);
    if (opened.outcome == sys::OpenOutcome::missing) opened.message += names_like(root, path);
    return opened;
}

std::optional<std::string> read_text(const sys::Root& root, const std::string& path,
                                     std::string& message) {
    const sys::Opened opened = open_to_read(root, path);
    message = opened.message;
    if (opened.outcome != sys::OpenOutcome::opened) return std::nullopt;
    if (opened.kind == sys::Kind::directory) {
        message = path + ": is a directory";
        return std::nullopt;
    }
    if (opened.size_bytes > base::limits::edited_file_bytes) {
        message = path + ": " + counted(opened.size_bytes, "byte") + ", more than the " +
                  std::to_string(base::limits::edited_file_bytes) + " that can be edited; use bash";
        return std::nullopt;
    }
    return sys::read_all(opened.fd.get(), base::limits::edited_file_bytes, path);
}

std::optional<sys::Lock> lock_file(const Workplace& workplace, const std::string& path) {
    const std::string whole = workplace.root.path() + "/" + workplace.root.canonical(path);
    const auto start = static_cast<std::int64_t>(hash(whole) % lock_bytes);
    return sys::Lock::acquire(workplace.file_lock_path, sys::Lock::Mode::exclusive,
                              base::limits::file_lock_ms, workplace.stop, {start, 1});
}

chat::ToolResult locked_failure(const std::string& path) {
    return failure(path + ": another call is writing it; nothing was changed, try again");
}

Plan plan_write(const Workplace& workplace, sys::Lock lock, const std::string& path, Before before,
                std::string content, std::function<chat::ToolResult(const std::string&)> answer) {
    std::string evidence = file_evidence(path, before.hash, content_hash(content));
    chat::Change change;
    if (!before.hash.empty()) change = change_of(path, before.text, content);
    const auto held = std::make_shared<sys::Lock>(std::move(lock));
    return {std::move(evidence),
            [&workplace, held, path, content = std::move(content), answer = std::move(answer)] {
                if (const std::string task = guarding_task(workplace, path); !task.empty())
                    return failure(path + ": " + task +
                                   " is running and must not write this file; wait for its "
                                   "end, or end it with task_kill");
                std::optional<task::KeptPlants> plants;
                if (may_be_obeyed(workplace, workplace.root.canonical(path)))
                    plants.emplace(look_for_plants(workplace));
                std::string problem = workplace.root.write_file(path, content);
                if (!problem.empty()) return failure(problem);
                chat::ToolResult result = answer(content);
                if (plants) result.text += tell_plants(*plants, "during this call", workplace);
                return result;
            },
            {},
            std::move(change)};
}

std::string measure(std::string_view content) {
    return counted(base::split_lines(content).size(), "line") + ", " +
           counted(content.size(), "byte");
}

}  // namespace chorus::tools
