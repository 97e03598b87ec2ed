// The archive of a packed agent says what it holds: its first entry says that it is a packed agent,
// its last one names every file with its size and its SHA-256. An archive that was cut off, at the
// border of two entries too, lacks the last one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace chorus::agent {

// The first entry, which says pack_schema, and the last one.
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
// A line a file: SHA-256, size, path; "\\" and "\n" in a path stand for a backslash and a newline.
std::string manifest_text(const Manifest& manifest);
// Error(bad_request) where the archive's files are not those that `text` names.
void require_manifest(std::string_view text, const Manifest& found, const std::string& archive);

}  // namespace chorus::agent
