#include "tools/walk.hpp"

#include <algorithm>

#include "sys/clock.hpp"
#include "tools/files.hpp"
#include "tools/gitignore.hpp"
#include "tools/path_pattern.hpp"

namespace chorus::tools {
namespace {

constexpr std::size_t gitignore_bytes = 1U << 20;
// Each level is a frame on the stack; no tree of source files is this deep.
constexpr std::size_t deepest = 512;

class Walk {
  public:
    Walk(const Workplace& workplace, std::string_view glob,
         const std::function<bool(const sys::Entry&)>& visit)
        : workplace_(workplace), pattern_(glob), visit_(visit) {}

    void from(const std::string& path) {
        sys::Opened opened = open_to_read(workplace_.root, path);
        if (opened.outcome != sys::OpenOutcome::opened) {
            result.error = opened.message;
            return;
        }
        const std::string canonical = workplace_.root.canonical(path);
        start_ = canonical == "." ? "" : canonical + "/";
        if (opened.kind != sys::Kind::directory) {
            visit_wanted({canonical, sys::Kind::file, opened.size_bytes});
            return;
        }
        enter_parents_of(start_);
        descend(start_, std::move(opened), 0);
    }

    Walked result;

  private:
    void enter_parents_of(const std::string& directory) {
        for (std::size_t end = 0; end < directory.size(); end = directory.find('/', end) + 1)
            enter(directory.substr(0, end), true);
    }

    void enter(const std::string& directory, bool has_gitignore) {
        std::string text;
        std::string error;
        if (has_gitignore)
            workplace_.root.read_file(directory + ".gitignore", gitignore_bytes, text, error);
        gitignore_.enter(directory, text);
    }

    bool descend(const std::string& directory, sys::Opened opened, std::size_t depth) {
        const std::vector<Name> names = read_names(workplace_.root, std::move(opened));
        const bool has_gitignore = std::any_of(names.begin(), names.end(), [](const Name& each) {
            return each.name == ".gitignore" && each.kind == sys::Kind::file;
        });
        enter(directory, has_gitignore);
        bool goes_on = true;
        for (const Name& name : names) {
            goes_on = !is_late() && visit_name(directory, name, depth);
            if (!goes_on) break;
        }
        gitignore_.leave();
        return goes_on;
    }

    bool visit_name(const std::string& directory, const Name& name, std::size_t depth) {
        const std::string path = directory + name.name;
        const bool is_directory = name.kind == sys::Kind::directory;
        if (name.kind == sys::Kind::other || gitignore_.ignores(path, is_directory)) return true;
        if (!is_directory) return visit_wanted({path, name.kind, 0});
        sys::Opened opened = workplace_.root.open_to_read(path);
        if (opened.outcome == sys::OpenOutcome::opened && opened.kind == sys::Kind::directory &&
            depth < deepest)
            return descend(path + "/", std::move(opened), depth + 1);
        ++result.unreadable;
        return true;
    }

    bool visit_wanted(const sys::Entry& entry) {
        const std::string_view path = entry.path;
        const bool is_below = path.size() > start_.size();
        return !pattern_.matches(is_below ? path.substr(start_.size()) : path) || visit_(entry);
    }

    bool is_late() {
        const bool stopped = workplace_.stop && workplace_.stop();
        result.is_late = result.is_late || stopped || sys::monotonic_ms() > deadline_ms_;
        return result.is_late;
    }

    const Workplace& workplace_;
    PathPattern pattern_;
    const std::function<bool(const sys::Entry&)>& visit_;
    std::string start_;  // what the pattern does not see of a path
    std::int64_t deadline_ms_ = sys::monotonic_ms() + most_walk_ms;
    Gitignore gitignore_;
};

}  // namespace

Walked walk_files(const Workplace& workplace, const std::string& path, std::string_view glob,
                  const std::function<bool(const sys::Entry&)>& visit) {
    Walk walk(workplace, glob, visit);
    walk.from(path);
    return walk.result;
}

std::string notes_on(const Walked& walked) {
    std::string notes;
    if (walked.is_late)
        notes += "[stopped before the end, after at most " + std::to_string(most_walk_ms / 1000) +
                 " s; narrow 'path']\n";
    if (walked.unreadable == 1) notes += "[1 directory could not be read]\n";
    if (walked.unreadable > 1)
        notes += "[" + std::to_string(walked.unreadable) + " directories could not be read]\n";
    return notes;
}

}  // namespace chorus::tools
