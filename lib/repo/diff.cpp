#include <optional>

#include <fmt/format.h>

#include "base/time.hpp"
#include "repo/operation.hpp"
#include "repo/served_calls.hpp"
#include "repo/work_tree.hpp"

namespace chorus::repo {
namespace {

constexpr std::size_t patch_bytes = 8U << 20;  // far beyond what a tool's result may hold
constexpr std::int64_t text_file_bytes = 4 << 20;

// Called by libgit2 for every file; 1 leaves it out.
int choose(const git_diff*, const git_diff_delta* delta, const char*, void* index) {
    return static_cast<int>(is_unchanged(static_cast<git_index*>(index), *delta) ||
                            std::string_view(delta->old_file.path).ends_with('/'));
}

// Shows conflicts as `git diff HEAD` does: named, and then compared with HEAD. In the in-memory
// index our side replaces the conflict.
std::string settle_conflicts(git_index* index) {
    std::string lines;
    for (const std::string& path : conflicted_paths(index)) {
        lines += "* Unmerged path " + path + "\n";
        const git_index_entry* sides[3] = {};
        check(git_index_conflict_get(&sides[0], &sides[1], &sides[2], index, path.c_str()),
              "diff: " + path);
        std::optional<git_index_entry> ours;
        if (sides[1] != nullptr) ours = *sides[1];
        check(git_index_conflict_remove(index, path.c_str()), "diff: " + path);
        if (!ours) continue;
        ours->path = path.c_str();
        ours->flags = 0;
        check(git_index_add(index, &*ours), "diff: " + path);
    }
    return lines;
}

Tree tree_at(git_repository* repository, const std::string& ref) {
    if (ref.empty()) return tree_of(commit_at(repository).get());
    return resolve_as<Tree>(repository, ref, GIT_OBJECT_TREE);
}

// Called by libgit2 for every line; anything but 0 ends the printing.
int append_line(const git_diff_delta*, const git_diff_hunk*, const git_diff_line* line,
                void* target) {
    std::string& patch = *static_cast<std::string*>(target);
    const char origin = line->origin;
    if (origin == GIT_DIFF_LINE_CONTEXT || origin == GIT_DIFF_LINE_ADDITION ||
        origin == GIT_DIFF_LINE_DELETION)
        patch += origin;
    patch.append(line->content, line->content_len);
    return patch.size() > patch_bytes ? GIT_EUSER : 0;
}

std::string printed(git_diff* diff) {
    std::string patch;
    const int result = git_diff_print(diff, GIT_DIFF_FORMAT_PATCH, append_line, &patch);
    if (result == GIT_EUSER) return patch + "\n[the diff is cut off; compare fewer changes]\n";
    check(result, "diff");
    return patch;
}

}  // namespace

std::string diff(git_repository* repository, const std::string& ref1, const std::string& ref2) {
    const Index index = fresh_index(repository);
    const Tree from = tree_at(repository, ref1);
    auto options = options_by(git_diff_options_init);
    options.flags = GIT_DIFF_INCLUDE_UNTRACKED | GIT_DIFF_RECURSE_UNTRACKED_DIRS |
                    GIT_DIFF_SHOW_UNTRACKED_CONTENT | GIT_DIFF_INCLUDE_TYPECHANGE;
    options.max_size = text_file_bytes;
    options.payload = index.get();
    std::string conflicts;
    Diff diff;
    if (ref2.empty()) {
        options.notify_cb = choose;
        conflicts = settle_conflicts(index.get());
        diff = make<Diff>("diff", git_diff_tree_to_workdir_with_index, repository, from.get(),
                          &options);
    } else {
        diff = make<Diff>("diff", git_diff_tree_to_tree, repository, from.get(),
                          tree_at(repository, ref2).get(), &options);
    }
    auto similar = options_by(git_diff_find_options_init);
    similar.flags = GIT_DIFF_FIND_RENAMES;
    check(git_diff_find_similar(diff.get(), &similar), "diff");
    return conflicts + printed(diff.get());
}

Texts log(git_repository* repository, int count) {
    Texts words;
    if (!commit_at(repository)) return words;
    const auto walk = make<Walk>("log", git_revwalk_new, repository);
    check(git_revwalk_sorting(walk.get(), GIT_SORT_TOPOLOGICAL | GIT_SORT_TIME), "log");
    check(git_revwalk_push_head(walk.get()), "log");
    git_oid id;
    for (; count > 0; --count) {
        const int result = git_revwalk_next(&id, walk.get());
        if (result == GIT_ITEROVER) break;
        check(result, "log");
        const auto commit = make<CommitObject>("log", git_commit_lookup, repository, &id);
        const git_signature* author = git_commit_author(commit.get());
        const char* summary = git_commit_summary(commit.get());
        words.insert(words.end(),
                     {text_of(id), std::string(author->name) + " <" + author->email + ">",
                      summary != nullptr ? summary : "",
                      base::iso8601(git_commit_time(commit.get()) * 1000)});
    }
    return words;
}

namespace {

constexpr std::string_view branches = "refs/heads/";

std::string head_line(git_repository* repository) {
    const std::string ref = head_ref(repository);
    if (ref.starts_with(branches)) return "branch " + ref.substr(branches.size()) + "\n";
    return "branch " + (ref.empty() ? "HEAD (detached at " + short_head(repository) + ")" : ref) +
           "\n";
}

// As git does with core.quotePath off: a name is quoted if it contains a blank or needs an escape.
std::string quoted(std::string_view path) {
    constexpr std::string_view special = "\"\\\a\b\t\n\v\f\r";
    constexpr std::string_view letters = "\"\\abtnvfr";
    std::string escaped;
    for (const char c : path) {
        const auto at = special.find(c);
        const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
        escaped += at != special.npos ? std::string{'\\', letters[at]}
                   : is_control       ? fmt::format("\\{:03o}", static_cast<unsigned char>(c))
                                      : std::string{c};
    }
    const bool is_plain = escaped == path && path.find(' ') == std::string_view::npos;
    return is_plain ? escaped : '"' + escaped + '"';
}

char letter(const git_diff_delta* delta) {
    const bool is_tracked = delta != nullptr && delta->status != GIT_DELTA_UNTRACKED;
    return is_tracked ? git_diff_status_char(delta->status) : ' ';
}

// Returns git's letters for a conflict, by which of ancestor, ours and theirs exist.
std::string conflict_letters(git_index* index, const char* path) {
    static constexpr const char* letters[] = {"UU", "DD", "AU", "UD", "UA", "DU", "AA", "UU"};
    const git_index_entry* sides[3] = {};
    git_index_conflict_get(&sides[0], &sides[1], &sides[2], index, path);
    std::size_t there = 0;
    for (std::size_t i = 0; i < 3; ++i) there |= static_cast<std::size_t>(sides[i] != nullptr) << i;
    return letters[there];
}

std::string names(const git_status_entry& entry) {
    const git_diff_delta* delta =
        entry.head_to_index != nullptr ? entry.head_to_index : entry.index_to_workdir;
    const std::string name = quoted(delta->new_file.path);
    if ((entry.status & GIT_STATUS_INDEX_RENAMED) == 0U) return name;
    return quoted(delta->old_file.path) + " -> " + name;
}

struct Lines {
    std::string tracked;
    std::string untracked;  // git lists them after the others
};

void append(Lines& lines, const git_status_entry& entry, git_index* index) {
    if (entry.status & GIT_STATUS_CONFLICTED) {
        const char* path = entry.index_to_workdir != nullptr ? entry.index_to_workdir->new_file.path
                                                             : entry.head_to_index->new_file.path;
        lines.tracked += conflict_letters(index, path) + " " + quoted(path) + "\n";
        return;
    }
    const std::string letters{letter(entry.head_to_index), letter(entry.index_to_workdir)};
    if (letters != "  ") lines.tracked += letters + " " + names(entry) + "\n";
    if (entry.status & GIT_STATUS_WT_NEW)
        lines.untracked += "?? " + quoted(entry.index_to_workdir->new_file.path) + "\n";
}

}  // namespace

std::string status(git_repository* repository) {
    auto options = options_by(git_status_options_init);
    options.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED | GIT_STATUS_OPT_RENAMES_HEAD_TO_INDEX;
    const auto list = make<StatusList>("status", git_status_list_new, repository, &options);
    const Index index = fresh_index(repository);
    Lines lines;
    for (std::size_t i = 0; i < git_status_list_entrycount(list.get()); ++i) {
        const git_status_entry& entry = *git_status_byindex(list.get(), i);
        const bool is_changed =
            entry.head_to_index != nullptr || !is_unchanged(index.get(), *entry.index_to_workdir);
        if (is_changed) append(lines, entry, index.get());
    }
    std::string operation = operation_text(repository, index.get());
    if (!operation.empty()) operation = "# " + operation + "\n";
    return head_line(repository) + operation + lines.tracked + lines.untracked;
}

}  // namespace chorus::repo
