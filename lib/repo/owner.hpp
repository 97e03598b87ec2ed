// Whose repository may be worked in or cloned. For this room's own use.
#pragma once

#include <string>

#include "sys/git_place.hpp"

namespace chorus::repo {

// As git decides it: the user's own, or one that safe.directory of the user's or the system's own
// configuration names. Else throws Error(failed), which begins with `what`. The caller of
// chorus-git looks: there users may be mapped, and no configuration of theirs can be read.
void check_owner(const std::string& what, const std::string& directory, const sys::GitPlace& place);

}  // namespace chorus::repo
