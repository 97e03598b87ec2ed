// The first entry of a packed agent marks it as one; the last one lists every file with its size
// and SHA-256. A truncated archive lacks the last one, even if it ends between two entries.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace chorus::agent {

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
// Error(bad_request) if the archive's files are not those that `text` lists.
void require_manifest(std::string_view text, const Manifest& found, const std::string& archive);

}  // namespace chorus::agent
