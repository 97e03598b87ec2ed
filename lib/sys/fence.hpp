// What a command may reach where Landlock confines it instead of mounts; for this room's own use.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sys/fd.hpp"
#include "sys/sandbox.hpp"

namespace chorus::sys {

struct FencedPlaces {
    // Open directories (O_PATH), whatever their paths lead to now.
    std::vector<std::shared_ptr<const Fd>> writable = {};
    std::vector<std::shared_ptr<const Fd>> readable = {};
    std::vector<std::string> system = {};  // readable too; missing ones are skipped
    std::vector<std::string> hidden = {};  // below readable ones; absolute, without links

    // Returns the entries of a PATH value that a command can read. A shell runs the first match,
    // and elsewhere a match may exist but not be readable.
    std::string searchable(std::string_view path) const;
    std::vector<std::string> paths = {};  // all that can be read, without links
};

// `home` is the command's own directory, or "". Throws Error(failed) where a path no longer leads
// to the place that it named, or where something to be hidden lies in a directory that commands
// write.
FencedPlaces fenced_places(const Sandbox& sandbox, const std::string& home);
// Returns why the kernel cannot confine commands this way, or nothing.
std::optional<base::Error> fence_problem();

}  // namespace chorus::sys
