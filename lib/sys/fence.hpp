// What a command may reach where Landlock confines it, and not mounts; for this room's own use.
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
    // Directories that are open (O_PATH), whatever lies at their paths by now.
    std::vector<std::shared_ptr<const Fd>> writable = {};
    std::vector<std::shared_ptr<const Fd>> readable = {};
    std::vector<std::string> system = {};  // read too; what is not there is passed over
    std::vector<std::string> hidden = {};  // of what is read; absolute, without links

    // Of such directories, those in which a command can find programs: a shell takes the first one
    // that is there, and here it can be there and not be read.
    std::string searchable(std::string_view path) const;
    std::vector<std::string> paths = {};  // of all that is read, without links
};

// `home`: the command's own directory, or "". Throws Error(failed) where a place is not what its
// path says, or where something to be hidden lies in what commands write.
FencedPlaces fenced_places(const Sandbox& sandbox, const std::string& home);
// Why the kernel cannot confine commands so, or nothing.
std::optional<base::Error> fence_problem();

}  // namespace chorus::sys
