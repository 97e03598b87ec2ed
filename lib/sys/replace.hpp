// Replaces a file atomically (promise 5 of chorus(7)); for this room's own use.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace chorus::sys {

// How the temporary is made. `prepare` changes it before it gets content; returns false with errno
// set on failure.
struct Making {
    unsigned mode = 0600;
    std::function<bool(int fd)> prepare = {};
};
// Exactly `mode`, whatever the umask and a default ACL say.
Making with_mode(unsigned mode);

enum class Existing { replace, refuse };

// Makes, writes and syncs a temporary in `directory`, renames it to `name`, and syncs the
// directory. On failure returns false with errno set, EEXIST where `existing` refuses, and leaves
// no temporary. The next write in `directory` removes what a killed process left.
bool replace_at(int directory, const std::string& name, std::string_view content,
                const Making& making, Existing existing = Existing::replace);

// The same for what `fill` writes into the temporary; it gets the name and a descriptor. Where it
// throws, no temporary is left either.
using Fill = std::function<void(const std::string& name, int fd)>;
bool fill_at(int directory, const std::string& name, const Fill& fill, const Making& making,
             Existing existing);

// Removes what killed processes left in `directory`.
void remove_temporaries_at(int directory);

}  // namespace chorus::sys
