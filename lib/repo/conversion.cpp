#include "repo/conversion.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "repo/opened.hpp"
#include "sys/file.hpp"

namespace chorus::repo {
namespace {

constexpr std::size_t most_pointer_bytes = 1024;  // what git-lfs reads of a file to know a pointer

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

bool is_installed(const char* program) {
    constexpr std::array<std::string_view, 3> directories{"/usr/local/bin/", "/usr/bin/", "/bin/"};
    return std::any_of(directories.begin(), directories.end(), [&](std::string_view directory) {
        return access((std::string(directory) + program).c_str(), X_OK) == 0;
    });
}

// Whether git in a command's sandbox converts it.
bool is_known_to_git(git_repository* repository, const Conversion& conversion) {
    if (conversion.filter.empty()) return true;
    if (conversion.filter == "lfs" && is_installed("git-lfs")) return true;
    for (const char* key : {".clean", ".process"})
        if (!setting(repository, "filter." + conversion.filter + key).empty()) return true;
    return false;
}

void refuse(git_repository* repository, const std::string& path, const Conversion& conversion,
            std::string_view what) {
    if (conversion.filter.empty() && conversion.encoding.empty()) return;
    const std::string attribute = conversion.filter.empty()
                                      ? "working-tree-encoding=" + conversion.encoding
                                      : "filter=" + conversion.filter;
    const std::string hint = is_known_to_git(repository, conversion)
                                 ? "the git tools do not convert files: use git in bash for it"
                                 : "the git tools do not convert files, and git has no driver '" +
                                       conversion.filter + "' here: leave the file out";
    throw base::Error(
        base::ErrorCode::failed,
        std::string(what) + ": " + base::quoted(path) + " has the attribute " + attribute, hint);
}

// Attributes are those of the tree, and the repository's index is its own again afterwards.
class TreeAttributes {
  public:
    TreeAttributes(git_repository* repository, git_tree* tree)
        : repository_(repository),
          own_(make<Index>("git", git_repository_index, repository)),
          index_(make<Index>("git", git_index_new)) {
        check(git_index_read_tree(index_.get(), tree), "git");
        check(git_repository_set_index(repository_, index_.get()), "git");
    }
    ~TreeAttributes() { git_repository_set_index(repository_, own_.get()); }
    TreeAttributes(const TreeAttributes&) = delete;
    TreeAttributes& operator=(const TreeAttributes&) = delete;

  private:
    git_repository* repository_;
    Index own_;
    Index index_;
};

// "oid sha256:<64 digits>\nsize <bytes>\n" below a line that names the version.
struct Pointer {
    std::string sha256;
    std::uint64_t size = 0;
};

std::optional<Pointer> pointer_in(std::string_view text) {
    if (!text.starts_with("version https://git-lfs.github.com/spec/")) return std::nullopt;
    Pointer pointer;
    for (const std::string_view line : base::split_lines(text)) {
        if (line.starts_with("oid sha256:")) pointer.sha256 = line.substr(11);
        if (line.starts_with("size "))
            pointer.size = std::strtoull(std::string(line.substr(5)).c_str(), nullptr, 10);
    }
    return pointer;
}

std::optional<Pointer> pointer_of(git_repository* repository, git_index* index,
                                  const std::string& path) {
    const git_index_entry* entry = git_index_get_bypath(index, path.c_str(), 0);
    git_blob* found = nullptr;
    if (entry == nullptr || git_blob_lookup(&found, repository, &entry->id) != 0)
        return std::nullopt;
    const Blob blob(found);
    const auto size = static_cast<std::size_t>(git_blob_rawsize(found));
    if (size > most_pointer_bytes) return std::nullopt;
    return pointer_in({static_cast<const char*>(git_blob_rawcontent(found)), size});
}

}  // namespace

void refuse_conversion(git_repository* repository, const std::string& path, std::string_view what) {
    refuse(repository, path, conversion_of(repository, path, GIT_ATTR_CHECK_FILE_THEN_INDEX), what);
}

void refuse_conversions(git_repository* repository, git_tree* from, git_tree* to,
                        std::string_view what) {
    const TreeAttributes attributes(repository, to);
    const auto diff = make<Diff>(what, git_diff_tree_to_tree, repository, from, to, nullptr);
    for (std::size_t i = 0; i < git_diff_num_deltas(diff.get()); ++i) {
        const git_diff_file& file = git_diff_get_delta(diff.get(), i)->new_file;
        if (file.mode != GIT_FILEMODE_BLOB && file.mode != GIT_FILEMODE_BLOB_EXECUTABLE) continue;
        const std::string path = file.path;
        refuse(repository, path, conversion_of(repository, path, GIT_ATTR_CHECK_INDEX_ONLY), what);
    }
}

bool is_attribute_file(const std::string& path) {
    return ("/" + path).ends_with("/.gitattributes");
}

bool is_same_in_lfs(git_repository* repository, git_index* index, const std::string& path) {
    if (conversion_of(repository, path, GIT_ATTR_CHECK_FILE_THEN_INDEX).filter != "lfs")
        return false;
    const auto pointer = pointer_of(repository, index, path);
    const std::string file = git_repository_workdir(repository) + path;
    struct stat status {};
    if (!pointer || lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
    return static_cast<std::uint64_t>(status.st_size) == pointer->size &&
           base::sha256_hex(sys::read_file(file, pointer->size)) == pointer->sha256;
}

}  // namespace chorus::repo
