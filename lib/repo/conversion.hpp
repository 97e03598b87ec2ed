// Files that git converts with a program or a character set when it adds or writes them. libgit2
// does neither: of attributes it knows text, eol, crlf and ident. Include it in this room's .cpp
// files only.
#pragma once

#include <string>
#include <string_view>

#include "repo/git.hpp"

namespace chorus::repo {

// Throws "WHAT: 'PATH' has the attribute filter=lfs" where the file would have to be converted.
void refuse_conversion(git_repository* repository, const std::string& path, std::string_view what);
// The same for every file that differs between the trees and is in `to`, by the attributes there.
void refuse_conversions(git_repository* repository, git_tree* from, git_tree* to,
                        std::string_view what);

// Whether it is a .gitattributes.
bool is_attribute_file(const std::string& path);

// Whether the file is what its pointer of git-lfs in the index stands for: libgit2, which compares
// it with the pointer, takes it for changed.
bool is_same_in_lfs(git_repository* repository, git_index* index, const std::string& path);

}  // namespace chorus::repo
