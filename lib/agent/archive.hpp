// A packed agent (tar, compressed or not) unpacked into a directory. Taken are regular files and
// directories with plain relative names; links, devices, "..", and all of a .git but its history
// (hooks, configuration, operations in progress) are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace chorus::agent {

constexpr std::size_t most_packed_entries = 100'000;
constexpr std::uint64_t most_packed_bytes = 16ULL << 30U;

struct Unpacked {
    std::size_t files = 0;
    std::vector<std::string> left_out;  // names, made visible
};
// Error(bad_request) for what is no archive, holds more than 100,000 entries or 16 GiB or a name
// that no directory can hold beside the others, or is a packed agent whose files are not those that
// its manifest names (agent/manifest.hpp).
Unpacked unpack(const std::string& archive, const std::string& directory);
// Whether a path leads to, or into, what of a .git is not its history: what git would run, obey or
// go on with. In any case and in any .git on the way.
bool is_git_trap(const std::string& path);
// A path of an agent from elsewhere that is not taken: one of those, or a .git that is a file.
bool is_left_out(const std::string& path, bool is_file);

}  // namespace chorus::agent
