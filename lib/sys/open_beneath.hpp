// openat2(2), or a walk over the components where the kernel or a container lacks it.
#pragma once

#include <string>

#include "base/error.hpp"
#include "sys/fd.hpp"

namespace chorus::sys {

enum class Links { inside, none };

// Opens `path`, relative to `directory`, without leaving it. `flags` as for open(2); close-on-exec
// is added. On failure errno is set: EXDEV where it leads out, ELOOP at a link that is not
// followed.
Fd open_beneath(int directory, const std::string& path, int flags, Links links);
// What open_beneath does without openat2: follows no links at all.
Fd open_by_walking(int directory, const std::string& path, int flags);
// As open_beneath with Links::none for an absolute path without links.
Fd open_real(const std::string& path, int flags);
// Returns why open_real() failed, from errno: with ELOOP, a path that had no links has one now.
base::Error not_opened_real(const std::string& path);
// As open_beneath with Links::none for one name; EXDEV at a mount point.
Fd open_on_same_filesystem(int directory, const std::string& name, int flags);

}  // namespace chorus::sys
