// libgit2's memory: where there is no more, the process's new-handler is asked, as by operator new.
// libgit2 1.5 by itself calls itself for ever to say so. For this room's own use, in .cpp files
// only.
#pragma once

#include <git2/sys/alloc.h>

namespace chorus::repo {

git_allocator* allocator();

}  // namespace chorus::repo
