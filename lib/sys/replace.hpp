// A whole file put in the place of another (promise 5 of chorus(7)); for this room's own use.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "sys/fd.hpp"

namespace chorus::sys {

struct Permissions {
    enum class From { umask, mode, file };
    From from = From::umask;  // umask: what it leaves of 0666
    unsigned mode = 0;        // these exactly
    struct stat file {};      // this file's, and its owner where that is allowed
};

// A temporary beside it, made, written and synced, renamed to `name` in `directory`, and the
// directory synced. On failure false with errno set, and no temporary left.
bool replace_at(int directory, const std::string& name, std::string_view content,
                const Permissions& permissions);

// The temporaries that a process left in `directory` when it was killed; what is no directory has
// none.
void remove_temporaries_at(Fd directory, std::int64_t pid);

}  // namespace chorus::sys
