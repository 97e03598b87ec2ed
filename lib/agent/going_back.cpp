#include "agent/going_back.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "sys/put_back.hpp"

namespace chorus::agent {
namespace {

using Entry = sys::Fingerprint::Entry;
using Paths = std::vector<std::string>;

constexpr unsigned entering = 0700;

// Set-id bits are not restored: they were meant for one content only.
unsigned permissions(const Entry& entry) {
    return static_cast<unsigned>(entry.mode) & (S_ISDIR(entry.mode) ? 07777U : 0777U);
}

bool has_type_of(const Entry& one, const Entry& other) {
    return (one.mode & S_IFMT) == (other.mode & S_IFMT);
}

bool is_same(const Entry& one, const Entry& other) {
    if (!has_type_of(one, other)) return false;
    if (S_ISLNK(one.mode)) return one.more == other.more;
    if (!S_ISREG(one.mode) && !S_ISDIR(one.mode)) return true;
    if (permissions(one) != permissions(other)) return false;
    if (S_ISDIR(one.mode)) return true;
    if (!one.more.empty() && !other.more.empty()) return one.more == other.more;
    return one.inode == other.inode && one.size_bytes == other.size_bytes &&
           one.modified_ns == other.modified_ns && one.changed_ns == other.changed_ns;
}

// A directory that could not be read.
bool is_closed(const Entry& entry) {
    return entry.path.ends_with('/');
}

bool has_content(const Entry& entry) {
    return S_ISDIR(entry.mode) || S_ISLNK(entry.mode) ||
           (S_ISREG(entry.mode) && !entry.more.empty());
}

bool is_below(const std::set<std::string>& directories, const std::string& path) {
    for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1))
        if (directories.contains(path.substr(0, at))) return true;
    return false;
}

std::string put(const Checkpoints& store, const sys::Root& root, const Entry& entry) {
    if (S_ISDIR(entry.mode)) return sys::put_directory(root, entry.path);
    if (S_ISLNK(entry.mode)) return sys::put_link(root, entry.path, entry.more);
    const sys::Fd content = store.open_content(entry.more);
    if (!content)
        return base::visible(entry.path, base::Newlines::escape) +
               ": its copy in the checkpoint is damaged";
    return sys::put_file(root, entry.path, permissions(entry),
                         [&](int fd) { sys::copy_rest(content.get(), fd, entry.path); });
}

}  // namespace

std::set<std::string> changed_meanwhile(const Tree& then, const Tree& now,
                                        const std::vector<Tree>& targets) {
    struct States {
        const Entry* then = nullptr;
        const Entry* now = nullptr;
        std::vector<const Entry*> wanted;
    };
    std::map<std::string_view, States> all;
    for (const Entry& entry : then) all[entry.path].then = &entry;
    for (const Entry& entry : now) all[entry.path].now = &entry;
    for (const Tree& target : targets)
        for (const Entry& entry : target) all[entry.path].wanted.push_back(&entry);
    const auto is_directory = [](const Entry* entry) {
        return entry != nullptr && S_ISDIR(entry->mode);
    };
    std::set<std::string> changed;
    for (const auto& [path, states] : all) {
        const States& one = states;  // clang 14 captures no structured bindings
        const auto any_wanted = [&wanted = one.wanted](const auto& is) {
            return std::any_of(wanted.begin(), wanted.end(), is);
        };
        const bool is_own =
            one.now == nullptr
                // removed, or to be put there as another type, or as a link
                ? one.then == nullptr || one.wanted.size() < targets.size() ||
                      any_wanted([&](const Entry* wanted) {
                          return S_ISLNK(wanted->mode) || !has_type_of(*one.then, *wanted);
                      })
                // also a directory, whose permissions are set last
                : (one.then != nullptr && is_same(*one.then, *one.now)) ||
                      any_wanted([&](const Entry* wanted) { return is_same(*wanted, *one.now); }) ||
                      (is_directory(one.now) &&
                       (is_directory(one.then) || any_wanted(is_directory)));
        if (!is_own && !path.ends_with('/')) changed.emplace(path);
    }
    return changed;
}

GoingBack::GoingBack(const Tree& target, const From& from) {
    std::map<std::string_view, Step> by_path;
    for (const Entry& entry : target) by_path[entry.path].target = &entry;
    for (const Entry& entry : from.tree) by_path[entry.path].present = &entry;
    for (const Entry& entry : from.tree)
        if (is_closed(entry)) closed_.insert(entry.path.substr(0, entry.path.size() - 1));
    for (const auto& [path, step] : by_path) compare(step, from);
    spare_what_is_kept();
    for (const Step& step : steps_)
        changes_.push_back(step.target != nullptr ? step.target->path : step.present->path);
}

void GoingBack::compare(const Step& step, const From& from) {
    const Entry& entry = step.target != nullptr ? *step.target : *step.present;
    if (is_closed(entry)) return;
    if (step.target != nullptr && step.present != nullptr && is_same(entry, *step.present)) {
        if (S_ISDIR(entry.mode) && (entry.mode & entering) != entering)
            read_only_.push_back(step.present);
        return;
    }
    const bool is_unstored =
        step.present != nullptr && S_ISREG(step.present->mode) && step.present->more.empty();
    const bool is_spared = !from.force && (from.changed.contains(entry.path) || is_unstored);
    const bool replaces = step.target == nullptr || !S_ISDIR(step.target->mode);
    if (is_spared || (replaces && closed_.contains(entry.path)) || is_below(closed_, entry.path))
        kept_.push_back(entry.path);
    else if (step.target != nullptr && !has_content(*step.target))
        missing_.push_back(entry.path);
    else if (step.target != nullptr && S_ISREG(step.target->mode) &&
             !from.store.open_content(step.target->more))
        (from.force ? missing_ : damaged_).push_back(entry.path);
    else
        steps_.push_back(step);
}

// A directory stays if something in it is kept, and nothing can be restored below a kept file.
void GoingBack::spare_what_is_kept() {
    const std::set<std::string> kept(kept_.begin(), kept_.end());
    const auto has_kept_below = [&](const std::string& path) {
        const auto below = kept.lower_bound(path + "/");
        return below != kept.end() && below->starts_with(path + "/");
    };
    std::erase_if(steps_, [&](const Step& step) {
        const bool comes = step.target != nullptr;
        const std::string& path = comes ? step.target->path : step.present->path;
        const bool is_directory = S_ISDIR(comes ? step.target->mode : step.present->mode);
        const bool is_spared = comes
                                   ? (!is_directory && has_kept_below(path)) || is_below(kept, path)
                                   : is_directory && has_kept_below(path);
        if (is_spared && comes) kept_.push_back(path);
        return is_spared;
    });
    std::sort(kept_.begin(), kept_.end());
}

// Makes read-only directories writable if something changes in them.
void GoingBack::open_directories(const sys::Root& root, std::vector<const Entry*>& opened) const {
    for (const Entry* directory : read_only_) {
        const std::string below = directory->path + "/";
        const auto first = std::lower_bound(changes_.begin(), changes_.end(), below);
        if (first != changes_.end() && first->starts_with(below)) opened.push_back(directory);
    }
    for (const Step& step : steps_)
        if (step.present != nullptr && S_ISDIR(step.present->mode)) opened.push_back(step.present);
    std::sort(opened.begin(), opened.end(),
              [](const Entry* one, const Entry* other) { return one->path < other->path; });
    for (const Entry* directory : opened)
        (void)sys::put_mode(root, directory->path, permissions(*directory) | entering);
}

// Removes from the leaves up, then creates from the top down; sets modes of directories last.
Paths GoingBack::apply(const Checkpoints& store, const sys::Root& root,
                       const std::function<void()>& check) const {
    Paths problems;
    const auto note = [&](std::string problem) {
        if (!problem.empty()) problems.push_back(std::move(problem));
    };
    std::vector<const Entry*> opened;
    open_directories(root, opened);
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
        check();
        if (step->present != nullptr &&
            (step->target == nullptr || !has_type_of(*step->target, *step->present)))
            note(sys::take_away(root, step->present->path, S_ISDIR(step->present->mode)));
    }
    for (const Step& step : steps_) {
        check();
        if (step.target != nullptr) note(put(store, root, *step.target));
    }
    for (auto directory = opened.rbegin(); directory != opened.rend(); ++directory)
        (void)sys::put_mode(root, (*directory)->path, permissions(**directory));
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
        if (step->target != nullptr && S_ISDIR(step->target->mode))
            note(sys::put_mode(root, step->target->path, permissions(*step->target)));
    return problems;
}

}  // namespace chorus::agent
