// Replaces a file atomically (promise 5 of chorus(7)), also with the owner, group, mode, ACL and
// extended attributes of the old one; for this room's own use.
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

// Makes, fills and syncs a temporary in `directory`, renames it to `name`, and syncs the
// directory. On failure returns false with errno set, EEXIST where `existing` refuses, and leaves
// no temporary. The next write in `directory` removes what a killed process left.
//
// `fill` gets the name of the temporary and a descriptor. Where it returns false, with errno set,
// or throws, no temporary is left either.
using Fill = std::function<bool(const std::string& name, int fd)>;
bool fill_at(int directory, const std::string& name, const Fill& fill, const Making& making,
             Existing existing = Existing::replace);
Fill content_of(std::string_view content);

// Removes what killed processes left in `directory`.
void remove_temporaries_at(int directory);

// Gives `to`, the new file, the owner, group, mode, ACL and extended attributes of `from`, the file
// that it replaces. Set-id bits, capabilities and signatures are left out: they hold for one
// content only, and writing drops them too. Returns "", or what could not be kept: "its owner:
// Operation not permitted".
std::string take_attributes(int from, int to);

// Sets the mode of a file or directory that this process has just made in `directory`, with its own
// umask, to `mode` less `mask`. Does nothing where the directory has a default ACL, which has set
// the mode. Returns false with errno set on failure.
bool settle_mode(int directory, int made, unsigned mode, unsigned mask);

}  // namespace chorus::sys
