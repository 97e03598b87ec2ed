#include <cstdio>

#include "repo/operation.hpp"
#include "repo/served_calls.hpp"
#include "repo/work_tree.hpp"

namespace chorus::repo {
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
        char octal[5];
        std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned char>(c));
        const auto at = special.find(c);
        const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
        escaped += at != special.npos ? std::string{'\\', letters[at]}
                   : is_control       ? std::string(octal)
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
