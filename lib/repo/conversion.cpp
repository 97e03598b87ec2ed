#include "repo/conversion.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"

namespace chorus::repo {
namespace {

struct Conversion {
    std::string filter;    // the name of the driver
    std::string encoding;  // of the work tree, where that is not UTF-8
};

Conversion conversion_of(git_repository* repository, const std::string& path, unsigned flags) {
    const char* names[] = {"filter", "working-tree-encoding"};
    const char* values[2] = {};
    check(git_attr_get_many(values, repository, flags, path.c_str(), 2, names), "git: " + path);
    const auto text = [](const char* value) {
        return git_attr_value(value) == GIT_ATTR_VALUE_STRING ? std::string(value) : "";
    };
    Conversion conversion{text(values[0]), text(values[1])};
    const std::string lower = base::to_lower_ascii(conversion.encoding);
    if (lower == "utf-8" || lower == "utf8") conversion.encoding.clear();
    return conversion;
}

// Whether git in a command's sandbox converts it.
bool is_known_to_git(git_repository* repository, const Conversion& conversion) {
    if (conversion.filter.empty()) return true;
    std::string program;
    if (conversion.filter == "lfs" && sys::find_program("git-lfs", program) == 0) return true;
    for (const char* key : {".clean", ".process"})
        if (!setting(repository, "filter." + conversion.filter + key).empty()) return true;
    return false;
}

void refuse_if_any(git_repository* repository, const std::string& path,
                   const Conversion& conversion, std::string_view what) {
    if (conversion.filter.empty() && conversion.encoding.empty()) return;
    const std::string attribute = conversion.filter.empty()
                                      ? "working-tree-encoding=" + conversion.encoding
                                      : "filter=" + conversion.filter;
    const std::string remedy =
        is_known_to_git(repository, conversion)
            ? ": use git in bash for it"
            : ", and git has no driver '" + conversion.filter + "' here: leave the file out";
    refuse(std::string(what) + ": " + base::quoted(path) + " has the attribute " + attribute,
           "the git tools do not convert files" + remedy);
}

int check_out_paths(git_repository* repository, const git_object* target,
                    git_checkout_options options, std::vector<std::string>& paths) {
    std::vector<char*> names;
    for (std::string& path : paths) names.push_back(path.data());
    options.checkout_strategy |= GIT_CHECKOUT_FORCE | GIT_CHECKOUT_DISABLE_PATHSPEC_MATCH;
    options.paths = {names.data(), names.size()};
    return git_checkout_tree(repository, target, &options);
}

// The index has a pointer of git-lfs: a line with the version, others, "oid sha256:<64 digits>" and
// "size <bytes>".
bool is_same_in_lfs(git_repository* repository, const git_index_entry* entry) {
    if (conversion_of(repository, entry->path, GIT_ATTR_CHECK_FILE_THEN_INDEX).filter != "lfs")
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

}  // namespace

void refuse_conversion(git_repository* repository, const std::string& path, std::string_view what) {
    refuse_if_any(repository, path, conversion_of(repository, path, GIT_ATTR_CHECK_FILE_THEN_INDEX),
                  what);
}

// The attributes are those of the tree while that is the repository's index.
void refuse_conversions(git_repository* repository, git_tree* from, git_tree* to,
                        std::string_view what) {
    const auto index = make<Index>(what, git_index_new);
    check(git_index_read_tree(index.get(), to), what);
    check(git_repository_set_index(repository, index.get()), what);
    const auto diff = make<Diff>(what, git_diff_tree_to_tree, repository, from, to, nullptr);
    for (const git_diff_delta* delta : deltas_of(diff.get())) {
        const git_diff_file& file = delta->new_file;
        if (file.mode != GIT_FILEMODE_BLOB && file.mode != GIT_FILEMODE_BLOB_EXECUTABLE) continue;
        refuse_if_any(repository, file.path,
                      conversion_of(repository, file.path, GIT_ATTR_CHECK_INDEX_ONLY), what);
    }
    check(git_repository_set_index(repository, nullptr), what);
}

bool is_attribute_file(const std::string& path) {
    return ("/" + path).ends_with("/.gitattributes");
}

// libgit2 goes by the .gitattributes in the work tree, when it writes and when it compares. So
// where they change, all is compared by the old ones first; then they are written, then the rest.
int check_out_tree(git_repository* repository, git_tree* from, const git_commit* commit,
                   git_checkout_options options) {
    options.dir_mode = 0777;
    const auto* target = reinterpret_cast<const git_object*>(commit);
    const auto diff =
        make<Diff>("git", git_diff_tree_to_tree, repository, from, tree_of(commit).get(), nullptr);
    std::vector<std::string> paths;
    for (const git_diff_delta* delta : deltas_of(diff.get()))
        paths.emplace_back(delta->new_file.path);
    std::vector<std::string> attributes;
    std::copy_if(paths.begin(), paths.end(), std::back_inserter(attributes), is_attribute_file);
    if (attributes.empty()) return git_checkout_tree(repository, target, &options);
    const bool is_forced = (options.checkout_strategy & GIT_CHECKOUT_FORCE) != 0;
    git_checkout_options dry = options;
    dry.checkout_strategy &= ~static_cast<unsigned>(GIT_CHECKOUT_SAFE);
    dry.checkout_strategy |= GIT_CHECKOUT_DONT_UPDATE_INDEX;
    int result = is_forced ? 0 : git_checkout_tree(repository, target, &dry);
    if (result == 0) result = check_out_paths(repository, target, options, attributes);
    if (result != 0) return result;
    return is_forced ? git_checkout_tree(repository, target, &options)
                     : check_out_paths(repository, target, options, paths);
}

bool is_unchanged(git_repository* repository, git_index* index, const git_diff_delta& delta) {
    const git_index_entry* entry = git_index_get_bypath(index, delta.old_file.path, 0);
    if (entry == nullptr) return false;
    return (entry->flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) != 0 ||
           (delta.status == GIT_DELTA_MODIFIED && is_same_in_lfs(repository, entry));
}

}  // namespace chorus::repo
