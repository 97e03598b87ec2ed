// Packs an agent's directory into an archive that unpack() accepts (agent/archive.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "sys/named_file.hpp"

namespace chorus::agent {

// An additional file that is not in the directory.
struct PackedText {
    std::string name;
    std::string text;
};
struct Packed {
    std::size_t files = 0;
    std::vector<std::string> left_out;  // links, sockets, devices: names, made visible
};
// Packs regular files and directories, but nothing that unpack() would leave out. The format is
// tar, compressed according to the name's ending: .gz, .tgz, .bz2, .xz, .zst. The archive is
// complete or not there. Error(bad_request) if it would be inside the directory itself;
// Error(failed) if there is more than unpack() accepts. `stop` is called from time to time and may
// throw.
Packed pack(
    const std::string& directory, const std::vector<PackedText>& more,
    const sys::OutputFile& archive, const std::function<void()>& stop = [] {});

}  // namespace chorus::agent
