// A whole file put in the place of another (promise 5 of chorus(7)); for this room's own use.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace chorus::sys {

// How the temporary is made, and what it is given before there is content in it: false with errno.
struct Making {
    unsigned mode = 0600;
    std::function<bool(int fd)> prepare = {};
};
// Those exactly, whatever the umask and a default ACL say.
Making with_mode(unsigned mode);

enum class Existing { replace, refuse };

// A temporary beside it, made, written and synced, renamed to `name` in `directory`, and the
// directory synced. On failure false with errno set, EEXIST where `existing` refuses, and no
// temporary left. What a process that was killed left is removed by the next write in `directory`.
bool replace_at(int directory, const std::string& name, std::string_view content,
                const Making& making, Existing existing = Existing::replace);

// The same for what `fill` puts into the temporary, whose name and open descriptor it gets; what it
// throws leaves no temporary either.
using Fill = std::function<void(const std::string& name, int fd)>;
bool fill_at(int directory, const std::string& name, const Fill& fill, const Making& making,
             Existing existing);

// What processes that were killed left in `directory`.
void remove_temporaries_at(int directory);

}  // namespace chorus::sys
