#include "agent/manifest.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace chorus::agent {
namespace {

using base::Error;
using base::ErrorCode;

std::string escaped(std::string_view path) {
    std::string text;
    for (const char c : path) {
        if (c == '\\' || c == '\n') text += '\\';
        text += c == '\n' ? 'n' : c;
    }
    return text;
}

std::string line_of(const std::string& path, const PackedFile& file) {
    return file.sha256 + " " + std::to_string(file.size_bytes) + " " + escaped(path);
}

Error not_whole(const std::string& archive, const std::string& why) {
    return {ErrorCode::bad_request, archive + ": " + why,
            "the archive is truncated or was changed; pack the agent again"};
}

}  // namespace

bool is_of_packing(std::string_view path) {
    return path == pack_mark_name || path == manifest_name;
}

std::string manifest_text(const Manifest& manifest) {
    std::string text;
    for (const auto& [path, file] : manifest) text += line_of(path, file) + "\n";
    return text;
}

void require_manifest(std::string_view text, const Manifest& found, const std::string& archive) {
    std::map<std::string, std::string> lines;
    for (const auto& [path, file] : found) lines.emplace(line_of(path, file), path);
    for (const std::string_view each : base::split_lines(text)) {
        const std::string line(each);
        if (lines.erase(line) == 0) {
            const std::size_t name = line.find(' ', std::min(base::sha256_digits + 1, line.size()));
            throw not_whole(
                archive,
                "a file is missing or differs from the packed one: " +
                    base::quoted(name == std::string::npos ? line : line.substr(name + 1)));
        }
    }
    if (!lines.empty())
        throw not_whole(
            archive, "contains a file that was not packed: " + base::quoted(lines.begin()->second));
}

}  // namespace chorus::agent
