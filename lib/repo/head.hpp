// What a repository's ref files say, without libgit2: cheap enough for every turn.
#pragma once

#include <string>

namespace chorus::repo {

struct Head {
    std::string branch;  // "main"; "" when detached or no repository
    std::string commit;  // 40 hexadecimal digits, "" before the first commit
};
// Of a workspace's path without links. Follows HEAD through loose and packed refs. Never throws:
// anything unreadable is an empty Head.
Head read_head(const std::string& workspace);

}  // namespace chorus::repo
