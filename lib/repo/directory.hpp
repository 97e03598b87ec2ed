// .git as plain files. For this room's own use.
#pragma once

#include <string>

struct timespec;

namespace chorus::repo {

// Where sys::find_git finds it, else WORKSPACE/.git.
std::string git_directory(const std::string& workspace);
bool has_git_directory(const std::string& workspace);

// Removes git's lock files, and the unfinished ones that libgit2 renames when they are whole, that
// are not older than `since`.
void remove_unfinished(const std::string& directory, const timespec& since);

}  // namespace chorus::repo
