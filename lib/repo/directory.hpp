// .git and the work tree as plain files, looked at before libgit2 follows anything in them. A
// command in the workspace can plant what it likes there; libgit2 runs outside the sandbox. For
// this room's own use.
#pragma once

#include <string>
#include <string_view>

struct timespec;

namespace chorus::repo {

std::string git_directory(const std::string& workspace);
// Whether .git is a directory and no link to one.
bool has_git_directory(const std::string& workspace);

// Throws where .git holds what leads out of the workspace or would block: links, FIFOs and devices,
// an included configuration, borrowed objects (alternates), a common directory elsewhere.
void inspect_git_directory(const std::string& workspace);
// Throws where a .gitignore, .gitattributes or .gitmodules is no regular file: libgit2 opens them
// without looking, and a FIFO would hold it up for ever.
void inspect_work_tree(const std::string& workspace);

// Removes git's lock files, and the unfinished ones that libgit2 renames when they are whole, that
// are not older than `since`.
void remove_unfinished(const std::string& directory, const timespec& since);

}  // namespace chorus::repo
