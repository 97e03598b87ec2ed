// Unpacks a packed agent (tar, compressed or not) into a directory. Regular files and directories
// with plain relative names are taken; links, devices, "..", and everything of a .git except its
// history (hooks, configuration, operations in progress) are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::agent {

constexpr std::size_t most_packed_entries = 100'000;
constexpr std::size_t most_packed_path_bytes = 2'000;  // the rest is for the home it is adopted in
constexpr std::uint64_t most_packed_bytes = 16ULL << 30U;

// The first entry of a packed agent marks it as one; the last one lists every file with its size
// and SHA-256. A truncated archive lacks the last one, even if it ends between two entries.
// Names of the first entry, whose content is pack_schema, and of the last one.
constexpr std::string_view pack_mark_name = "chorus-pack";
constexpr std::string_view manifest_name = "chorus-manifest";
constexpr std::string_view pack_schema = "chorus.pack/1";
constexpr std::size_t most_manifest_bytes = 64U << 20U;

struct PackedFile {
    std::uint64_t size_bytes = 0;
    std::string sha256;
    bool operator==(const PackedFile&) const = default;
};
using Manifest = std::map<std::string, PackedFile>;  // by path

bool is_of_packing(std::string_view path);
// One line per file: SHA-256, size, path; "\\" and "\n" in a path stand for a backslash and a
// newline.
std::string manifest_text(const Manifest& manifest);

struct Unpacked {
    std::size_t files = 0;
    std::vector<std::string> left_out;  // names, made visible
};
// Error(bad_request) if it is not an archive, has more than 100,000 entries or 16 GiB, contains
// names that cannot exist in one directory, or is a packed agent whose files differ from its
// manifest.
Unpacked unpack(const std::string& archive, const std::string& directory);
// Returns whether a path is, or is below, a part of a .git that is not its history: what git would
// run, read as configuration or continue. Ignores case; checks every .git in the path.
bool is_git_trap(const std::string& path);
// Returns whether a path of a foreign agent is left out: such a part of a .git, or a .git file.
bool is_left_out(const std::string& path, bool is_file);

}  // namespace chorus::agent
