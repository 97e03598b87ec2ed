// A packed agent (tar, compressed or not) unpacked into a directory. Taken are regular files and
// directories with plain relative names; links, devices, "..", and everything git would run or obey
// (hooks, configuration, attributes, alternates) are left out.
#pragma once

#include <string>
#include <vector>

namespace chorus::agent {

struct Unpacked {
    std::size_t files = 0;
    std::vector<std::string> left_out;  // names, made visible
};
// Throws Error(bad_request) for what is no archive, or holds more than 100,000 files or 16 GiB.
Unpacked unpack(const std::string& archive, const std::string& directory);
// Whether a path inside an agent's directory is something git would run or obey.
bool is_git_trap(const std::string& path);

}  // namespace chorus::agent
