// An agent's directory as an archive that unpack() takes (agent/archive.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "sys/output_file.hpp"

namespace chorus::agent {

// A file that is not in the directory.
struct PackedText {
    std::string name;
    std::string text;
};
struct Packed {
    std::size_t files = 0;
    std::vector<std::string> left_out;  // links, sockets, devices: names, made visible
};
// Regular files and directories, but nothing that unpack() would not take. tar, compressed as the
// name ends: .gz, .tgz, .bz2, .xz, .zst. The archive is whole or not there. Error(bad_request)
// where it would lie in the directory itself; Error(failed) for more than unpack() takes. `stop` is
// asked now and then, and may throw.
Packed pack(
    const std::string& directory, const std::vector<PackedText>& more,
    const sys::OutputFile& archive, const std::function<void()>& stop = [] {});

}  // namespace chorus::agent
