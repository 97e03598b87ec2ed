#include "repo/work_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "repo/operation.hpp"
#include "sys/beneath.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"
#include "sys/git_config.hpp"
#include "sys/process.hpp"

namespace chorus::repo {
namespace {

constexpr std::string_view filter = "filter=";

// The attribute that makes git convert the file: "filter=lfs", "working-tree-encoding=UTF-16", or
// "".
std::string conversion_of(git_repository* repository, const std::string& path, unsigned flags) {
    const char* names[] = {"filter", "working-tree-encoding"};
    const char* values[2] = {};
    check(git_attr_get_many(values, repository, flags, path.c_str(), 2, names), "git: " + path);
    if (git_attr_value(values[0]) == GIT_ATTR_VALUE_STRING) return std::string(filter) + values[0];
    if (git_attr_value(values[1]) != GIT_ATTR_VALUE_STRING) return {};
    const std::string encoding = base::to_lower_ascii(values[1]);
    const bool is_utf8 = encoding == "utf-8" || encoding == "utf8";
    return is_utf8 ? "" : std::string("working-tree-encoding=") + values[1];
}

// Whether git in a command's sandbox has the driver.
bool is_known_to_git(git_repository* repository, const std::string& driver) {
    std::string program;
    return (driver == "lfs" && sys::find_program("git-lfs", program) == 0) ||
           !setting(repository, "filter." + driver + ".clean").empty() ||
           !setting(repository, "filter." + driver + ".process").empty();
}

void refuse_conversion(git_repository* repository, const std::string& path, unsigned flags,
                       std::string_view what) {
    const std::string attribute = conversion_of(repository, path, flags);
    if (attribute.empty()) return;
    std::string hint = "the git tools do not convert files";
    const std::string driver = attribute.starts_with(filter) ? attribute.substr(filter.size()) : "";
    if (driver.empty() || is_known_to_git(repository, driver))
        hint += ": use git in bash for it";
    else
        hint += ", and git has no driver '" + driver + "' here: leave the file out";
    refuse(std::string(what) + ": " + base::quoted(path) + " has the attribute " + attribute, hint);
}

bool is_left_out(const git_index_entry* entry) {
    return entry != nullptr && (entry->flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) != 0;
}

// Whether the index has the git-lfs pointer for the file: a line with the version, other lines,
// "oid sha256:<64 digits>" and "size <bytes>".
bool is_same_in_lfs(git_repository* repository, const git_index_entry* entry) {
    if (conversion_of(repository, entry->path, GIT_ATTR_CHECK_FILE_THEN_INDEX) != "filter=lfs")
        return false;
    const auto blob = find<Blob>("git", git_blob_lookup, repository, &entry->id);
    const std::string file = git_repository_workdir(repository) + std::string(entry->path);
    struct stat status {};
    if (!blob || lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
    const std::string_view pointer = content_of(blob.get());
    if (!pointer.starts_with("version https://git-lfs.github.com/spec/") ||
        !pointer.ends_with("\nsize " + std::to_string(status.st_size) + "\n"))
        return false;
    const auto size = static_cast<std::size_t>(status.st_size);
    const std::string oid = "\noid sha256:" + base::sha256_hex(sys::read_file(file, size)) + "\n";
    return pointer.find(oid) != std::string_view::npos;
}

bool is_attribute_file(const std::string& path) {
    return ("/" + path).ends_with("/.gitattributes");
}

int check_out_paths(git_repository* repository, const git_object* target,
                    git_checkout_options options, Texts& paths) {
    std::vector<char*> names;
    for (std::string& path : paths) names.push_back(path.data());
    options.checkout_strategy |= GIT_CHECKOUT_FORCE | GIT_CHECKOUT_DISABLE_PATHSPEC_MATCH;
    options.paths = {names.data(), names.size()};
    return git_checkout_tree(repository, target, &options);
}

// Returns nothing if a part of the path is missing, or is a link instead of a directory: git then
// takes the file for deleted. Any other error is thrown, so that it is not taken for a deletion.
std::optional<struct stat> look_at(const std::string& work_tree, const std::string& path) {
    struct stat status {};
    for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
        if (lstat((work_tree + path.substr(0, end)).c_str(), &status) != 0) {
            if (errno != ENOENT && errno != ENOTDIR) throw base::system_error("git: " + path);
            return std::nullopt;
        }
        if (end == std::string::npos) return status;
        if (S_ISLNK(status.st_mode)) return std::nullopt;
    }
}

bool is_submodule(git_index* index, const std::string& path) {
    for (int stage = 0; stage < 4; ++stage) {
        const git_index_entry* entry = git_index_get_bypath(index, path.c_str(), stage);
        if (entry != nullptr && entry->mode == GIT_FILEMODE_COMMIT) return true;
    }
    return false;
}

// With automatic line ends, a file that has CRLF in the index keeps it. libgit2 also takes a link,
// a submodule and any carriage return in the index for such a file; git does not.
bool is_mistaken_for_crlf(git_repository* repository, const git_index_entry& entry) {
    constexpr std::uint32_t most_bytes = 1U << 20;
    if (!S_ISREG(entry.mode)) return true;
    if (entry.file_size > most_bytes) return false;
    const auto blob = find<Blob>("commit", git_blob_lookup, repository, &entry.id);
    if (!blob) return false;
    const std::string_view text = content_of(blob.get());
    bool is_other = text.find('\0') != std::string_view::npos;
    for (auto at = text.find('\r'); at != std::string_view::npos; at = text.find('\r', at + 1))
        is_other = is_other || text.substr(at + 1, 1) != "\n";
    return is_other && text.find('\r') != std::string_view::npos;
}

void stage_path(git_repository* repository, git_index* index, const std::string& path) {
    const auto found = look_at(git_repository_workdir(repository), path);
    const mode_t mode = found ? found->st_mode : 0;
    const bool is_there =
        S_ISREG(mode) || S_ISLNK(mode) || (S_ISDIR(mode) && is_submodule(index, path));
    if (S_ISREG(mode))
        refuse_conversion(repository, path, GIT_ATTR_CHECK_FILE_THEN_INDEX, "commit");
    const git_index_entry* entry = git_index_get_bypath(index, path.c_str(), 0);
    if (entry != nullptr && S_ISREG(mode) && is_mistaken_for_crlf(repository, *entry))
        check(git_index_remove_bypath(index, path.c_str()), "commit: " + path);
    check(is_there ? git_index_add_bypath(index, path.c_str())
                   : git_index_remove_bypath(index, path.c_str()),
          "commit: " + path);
    // git_index_add_bypath leaves the conflict of a submodule
    if (S_ISDIR(mode)) git_index_conflict_remove(index, path.c_str());
}

bool is_tracked(git_index* index, const std::string& path) {
    std::size_t position = 0;
    return git_index_get_bypath(index, path.c_str(), 0) != nullptr ||
           git_index_find_prefix(&position, index, (path + "/").c_str()) == 0;
}

bool is_at_or_below(std::string_view path, const std::string& directory) {
    return path == directory || path.starts_with(directory + "/");
}

// A git without nanoseconds (Debian's) takes a file for unchanged if its size and the second of its
// time are those in the index, unless the index is as recent. When the index is rewritten here, a
// size of 0 makes git look again. Returns whether that was necessary.
bool distrust(git_repository* repository, git_index* index, const std::string& path) {
    const git_index_entry* entry = git_index_get_bypath(index, path.c_str(), 0);
    const auto found = look_at(git_repository_workdir(repository), path);
    if (entry == nullptr || !found ||
        entry->mtime.seconds != static_cast<std::int32_t>(found->st_mtim.tv_sec) ||
        entry->file_size != static_cast<std::uint32_t>(found->st_size))
        return false;
    git_index_entry distrusted = *entry;
    distrusted.file_size = 0;
    check(git_index_add(index, &distrusted), "git: " + path);
    return true;
}

using Replaced = std::map<std::string, std::optional<git_index_entry>>;

// libgit2 obeys .gitattributes files in the index and in the work tree, git only those in the work
// tree. So the index gets these before anything else is compared. Returns the entries replaced.
Replaced stage_attributes(git_repository* repository, git_index* index, const Texts& paths) {
    Replaced replaced;
    for (const std::string& path : paths) {
        if (!is_attribute_file(path)) continue;
        const git_index_entry* entry = git_index_get_bypath(index, path.c_str(), 0);
        replaced[path] = entry != nullptr ? std::optional(*entry) : std::nullopt;
        stage_path(repository, index, path);
    }
    return replaced;
}

void put_back(git_index* index, const std::string& path, std::optional<git_index_entry> entry) {
    if (entry) entry->path = path.c_str();
    check(entry ? git_index_add(index, &*entry) : git_index_remove_bypath(index, path.c_str()),
          "commit: " + path);
}

// A file named in the configuration can be read only inside the workspace and its git directory.
bool is_unread(const std::string& file) {
    if (file.empty()) return false;
    const sys::Fd opened(open(file.c_str(), sys::read_only));
    return !file.starts_with('/') || !opened;
}

// libgit2 takes the quotes of `"a b" text` for part of the pattern.
void refuse_quotes(std::string_view what, const std::string& file, std::string_view rules) {
    for (const std::string_view line : base::split_lines(rules))
        if (base::trim(line).starts_with('"'))
            refuse(std::string(what) + ": " + base::quoted(file) + " has a pattern in quotes",
                   "use git in bash, or write it without quotes, with ? for a blank");
}

// Throws for attributes that git applies to the work tree and libgit2 does not. `index` has the
// work tree's .gitattributes.
void refuse_unread_attributes(git_repository* repository, git_index* index, std::string_view what) {
    const std::string file = setting(repository, "core.attributesFile");
    if (is_unread(file))
        refuse(std::string(what) + ": core.attributesFile " + base::quoted(file) + " is not read",
               "use git in bash; .gitattributes and .git/info/attributes are read");
    refuse_quotes(what, file, sys::read_git_file(file));
    refuse_quotes(
        what, ".git/info/attributes",
        sys::read_git_file(git_repository_commondir(repository) + std::string("info/attributes")));
    for (const git_index_entry* entry : entries_of(index)) {
        if (!is_attribute_file(entry->path) || !S_ISREG(entry->mode)) continue;
        const auto blob = make<Blob>(what, git_blob_lookup, repository, &entry->id);
        refuse_quotes(what, entry->path, content_of(blob.get()));
    }
}

}  // namespace

bool is_unchanged(git_index* index, const git_diff_delta& delta) {
    const git_index_entry* entry = git_index_get_bypath(index, delta.old_file.path, 0);
    return is_left_out(entry) || (entry != nullptr && delta.status == GIT_DELTA_MODIFIED &&
                                  is_same_in_lfs(git_index_owner(index), entry));
}

// While the tree is the repository's index, its attributes apply.
void refuse_conversions(git_repository* repository, git_tree* from, git_tree* to) {
    constexpr std::string_view what = "checkout";
    const auto index = make<Index>(what, git_index_new);
    check(git_index_read_tree(index.get(), to), what);
    refuse_unread_attributes(repository, index.get(), what);
    check(git_repository_set_index(repository, index.get()), what);
    const auto diff = make<Diff>(what, git_diff_tree_to_tree, repository, from, to, nullptr);
    for (const git_diff_delta* delta : deltas_of(diff.get())) {
        const git_diff_file& file = delta->new_file;
        if (file.mode != GIT_FILEMODE_BLOB && file.mode != GIT_FILEMODE_BLOB_EXECUTABLE) continue;
        refuse_conversion(repository, file.path, GIT_ATTR_CHECK_INDEX_ONLY, what);
    }
    check(git_repository_set_index(repository, nullptr), what);
}

// libgit2 uses the work tree's .gitattributes when it writes and when it compares. So if they
// change, everything is compared by the old ones first; then they are written, then the rest.
int check_out_tree(git_repository* repository, git_tree* from, const git_commit* commit,
                   git_checkout_options options) {
    options.dir_mode = 0777;
    const auto* target = reinterpret_cast<const git_object*>(commit);
    Texts paths = changed_between(repository, from, tree_of(commit).get());
    Texts attributes;
    std::copy_if(paths.begin(), paths.end(), std::back_inserter(attributes), is_attribute_file);
    if (attributes.empty()) return git_checkout_tree(repository, target, &options);
    git_checkout_options dry = options;
    dry.checkout_strategy &= ~static_cast<unsigned>(GIT_CHECKOUT_SAFE);
    dry.checkout_strategy |= GIT_CHECKOUT_DONT_UPDATE_INDEX;
    int result = git_checkout_tree(repository, target, &dry);
    if (result == 0) result = check_out_paths(repository, target, options, attributes);
    return result == 0 ? check_out_paths(repository, target, options, paths) : result;
}

Texts selection_of(git_repository* repository, const Texts& files) {
    const sys::Root root(git_repository_workdir(repository));
    Texts selection;
    for (const std::string& file : files) {
        if (file.find('\0') != std::string::npos) refuse("commit: a name contains a NUL");
        const std::string path = root.canonical(file);
        if (path == ".") return {};
        if (path.empty()) refuse("commit: " + file + " is outside the workspace");
        for (const std::string_view part : base::split(path, '/'))
            if (sys::is_git_name(part)) refuse("commit: " + file + " is in .git");
        selection.push_back(path);
    }
    return selection;
}

bool covers(const Texts& selection, std::string_view path) {
    return selection.empty() ||
           std::any_of(selection.begin(), selection.end(),
                       [&](const auto& selected) { return is_at_or_below(path, selected); });
}

void stage(git_repository* repository, git_index* index, const Texts& selection,
           const sys::PathRules& hidden) {
    Texts paths = changed_paths(repository, index);
    const Replaced replaced = stage_attributes(repository, index, paths);
    refuse_unread_attributes(repository, index, "commit");
    if (!replaced.empty()) paths = changed_paths(repository, index);
    for (const auto& [path, entry] : replaced) paths.push_back(path);
    for (std::string& path : conflicted_paths(index)) paths.push_back(std::move(path));
    const auto is_taken = [&](const std::string& path) {
        return covers(selection, path) && hidden.why_not_read(path).empty();
    };
    for (const std::string& selected : selection) {
        if (!hidden.why_not_read(selected).empty())
            refuse("commit: " + selected + " is hidden: it holds a key");
        const bool is_changed = std::any_of(paths.begin(), paths.end(), [&](const auto& path) {
            return is_at_or_below(path, selected);
        });
        if (is_changed || is_tracked(index, selected)) continue;
        const auto found = look_at(git_repository_workdir(repository), selected);
        if (sys::exists(git_repository_workdir(repository) + selected + "/.git"))
            refuse_inner(selected);
        refuse("commit: " + selected +
               (found ? " is ignored, or contains no file" : " does not exist"));
    }
    for (const std::string& path : paths) {
        if (is_taken(path)) {
            stage_path(repository, index, path);
        } else {
            distrust(repository, index, path);
        }
    }
    for (const auto& [path, entry] : replaced)
        if (!is_taken(path)) put_back(index, path, entry);
}

Texts changed_paths(git_repository* repository, git_index* index, ListedPaths wanted) {
    auto options = options_by(git_diff_options_init);
    options.flags =
        GIT_DIFF_INCLUDE_UNTRACKED | GIT_DIFF_RECURSE_UNTRACKED_DIRS | GIT_DIFF_INCLUDE_TYPECHANGE;
    options.ignore_submodules = GIT_SUBMODULE_IGNORE_DIRTY;
    const auto diff = make<Diff>("commit", git_diff_index_to_workdir, repository, index, &options);
    Texts paths;
    for (const git_diff_delta* delta : deltas_of(diff.get())) {
        const std::string path = delta->new_file.path;
        if (path.ends_with('/') == (wanted == ListedPaths::repositories) &&
            !is_unchanged(index, *delta))
            paths.push_back(path);
    }
    return paths;
}

void refuse_inner(const std::string& path) {
    refuse("commit: nothing to commit in " + base::quoted(path) + ": it is a repository of its own",
           "commit there with git in bash; `git add` of its name here records its commit");
}

void refuse_unread_ignores(git_repository* repository, git_index* index, const Texts& selection) {
    const std::string file = setting(repository, "core.excludesFile");
    if (!is_unread(file)) return;
    for (const std::string& path : changed_paths(repository, index))
        if (covers(selection, path) && !is_tracked(index, path) &&
            std::find(selection.begin(), selection.end(), path) == selection.end())
            refuse("commit: " + base::quoted(path) + " may be ignored: core.excludesFile " +
                       base::quoted(file) + " is not read",
                   "name the files, or use git in bash; .gitignore and .git/info/exclude are read");
}

Texts unseen_conflicts(git_repository* repository, git_tree* from, git_tree* to) {
    const Index index = fresh_index(repository);
    const std::string work_tree = git_repository_workdir(repository);
    const auto diff = make<Diff>("git", git_diff_tree_to_tree, repository, from, to, nullptr);
    Texts found;
    for (const git_diff_delta* delta : deltas_of(diff.get())) {
        const std::string changed = delta->new_file.path;
        const auto present = look_at(work_tree, changed);
        if (present && is_left_out(git_index_get_bypath(index.get(), changed.c_str(), 0)))
            found.push_back(changed);
        if (delta->status == GIT_DELTA_DELETED || delta->new_file.mode == GIT_FILEMODE_COMMIT ||
            !present || !S_ISDIR(present->st_mode))
            continue;
        using Below = std::filesystem::recursive_directory_iterator;
        for (Below at(work_tree + changed); at != Below(); ++at) {
            const std::string path = at->path().lexically_relative(work_tree);
            if (is_tracked(index.get(), path)) continue;
            found.push_back(path);
            at.disable_recursion_pending();
        }
    }
    return found;
}

void keep_changes_visible(git_repository* repository) {
    const Index index = fresh_index(repository);
    bool distrusted = false;
    for (const std::string& path : changed_paths(repository, index.get()))
        distrusted |= distrust(repository, index.get(), path);
    if (distrusted) check(git_index_write(index.get()), "git");
}

}  // namespace chorus::repo
