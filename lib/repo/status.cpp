#include <cstdio>

#include "repo/conversion.hpp"
#include "repo/directory.hpp"
#include "repo/opened.hpp"
#include "repo/operation.hpp"

namespace chorus::repo {
namespace {

constexpr std::string_view branches = "refs/heads/";

std::string head_line(git_repository* repository) {
    const std::string ref = head_ref(repository);
    if (ref.starts_with(branches)) return "branch " + ref.substr(branches.size()) + "\n";
    if (!ref.empty()) return "branch " + ref + "\n";
    const CommitObject commit = head_commit(repository);
    return "branch HEAD (detached at " + text_of(*git_commit_id(commit.get())).substr(0, 7) + ")\n";
}

void append_escaped(std::string& out, char c) {
    constexpr std::string_view plain = "\"\\\a\b\t\n\v\f\r";
    constexpr std::string_view letters = "\"\\abtnvfr";
    const auto at = plain.find(c);
    char octal[5];
    if (at != std::string_view::npos) {
        (out += '\\') += letters[at];
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
        std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(c));
        out += octal;
    } else {
        out += c;
    }
}

// As git does with core.quotePath off: a name is quoted where it holds a blank or needs an escape.
std::string quoted(std::string_view path) {
    std::string escaped;
    for (const char c : path) append_escaped(escaped, c);
    const bool plain = escaped == path && path.find(' ') == std::string_view::npos;
    return plain ? escaped : '"' + escaped + '"';
}

char index_letter(unsigned status) {
    if (status & GIT_STATUS_INDEX_NEW) return 'A';
    if (status & GIT_STATUS_INDEX_MODIFIED) return 'M';
    if (status & GIT_STATUS_INDEX_DELETED) return 'D';
    if (status & GIT_STATUS_INDEX_RENAMED) return 'R';
    if (status & GIT_STATUS_INDEX_TYPECHANGE) return 'T';
    return ' ';
}

char work_tree_letter(unsigned status) {
    if (status & GIT_STATUS_WT_MODIFIED) return 'M';
    if (status & GIT_STATUS_WT_DELETED) return 'D';
    if (status & GIT_STATUS_WT_TYPECHANGE) return 'T';
    if (status & GIT_STATUS_WT_UNREADABLE) return '!';
    return ' ';
}

// Which of ancestor, ours and theirs there are says what both sides did; git's letters for it.
std::string conflict_letters(git_index* index, const char* path) {
    const git_index_entry* sides[3] = {};
    if (git_index_conflict_get(&sides[0], &sides[1], &sides[2], index, path) != 0) return "UU";
    const bool ancestor = sides[0] != nullptr;
    const bool ours = sides[1] != nullptr;
    const bool theirs = sides[2] != nullptr;
    if (!ancestor) return ours && theirs ? "AA" : ours ? "AU" : "UA";
    return ours && theirs ? "UU" : ours ? "UD" : theirs ? "DU" : "DD";
}

std::string names(const git_status_entry& entry) {
    const git_diff_delta* delta =
        entry.head_to_index != nullptr ? entry.head_to_index : entry.index_to_workdir;
    const std::string name = quoted(delta->new_file.path);
    if ((entry.status & GIT_STATUS_INDEX_RENAMED) == 0U) return name;
    return quoted(delta->old_file.path) + " -> " + name;
}

// What libgit2 takes for changed and git does not: a file that the work tree lacks on purpose, and
// one of git-lfs.
bool is_unchanged(git_repository* repository, git_index* index, const git_status_entry& entry) {
    if (entry.status != GIT_STATUS_WT_DELETED && entry.status != GIT_STATUS_WT_MODIFIED)
        return false;
    const char* path = entry.index_to_workdir->old_file.path;
    return entry.status == GIT_STATUS_WT_DELETED ? is_left_out(index, path)
                                                 : is_same_in_lfs(repository, index, path);
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
    const std::string letters{index_letter(entry.status), work_tree_letter(entry.status)};
    if (letters != "  ") lines.tracked += letters + " " + names(entry) + "\n";
    if (entry.status & GIT_STATUS_WT_NEW)
        lines.untracked += "?? " + quoted(entry.index_to_workdir->new_file.path) + "\n";
}

}  // namespace

std::string Repository::status() const {
    git_status_options options;
    check(git_status_options_init(&options, GIT_STATUS_OPTIONS_VERSION), "status");
    options.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED | GIT_STATUS_OPT_RENAMES_HEAD_TO_INDEX;
    const auto list = make<StatusList>("status", git_status_list_new, handle_->get(), &options);
    const Index index = fresh_index(handle_->get());
    Lines lines;
    for (std::size_t i = 0; i < git_status_list_entrycount(list.get()); ++i) {
        const git_status_entry& entry = *git_status_byindex(list.get(), i);
        if (!is_unchanged(handle_->get(), index.get(), entry)) append(lines, entry, index.get());
    }
    std::string operation = operation_text(handle_->get(), index.get());
    if (!operation.empty()) operation = "# " + operation + "\n";
    return head_line(handle_->get()) + operation + lines.tracked + lines.untracked;
}

}  // namespace chorus::repo
