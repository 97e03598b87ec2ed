#include <array>
#include <utility>

#include "tools/files.hpp"
#include "tools/result.hpp"

namespace chorus::tools {
namespace {

using namespace std::string_view_literals;

// Magic numbers at the start of a file, as file(1) knows them.
constexpr auto magics = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"\x89PNG\r\n\x1a\n"sv, "PNG image"sv},
    {"\xff\xd8\xff"sv, "JPEG image"sv},
    {"GIF8"sv, "GIF image"sv},
    {"BM"sv, "BMP image"sv},
    {"%PDF-"sv, "PDF document"sv},
    {"\177ELF"sv, "ELF program or library"sv},
    {"\x1f\x8b"sv, "gzip archive"sv},
    {"BZh"sv, "bzip2 archive"sv},
    {"\3757zXZ\0"sv, "xz archive"sv},
    {"\x28\xb5\x2f\xfd"sv, "zstd archive"sv},
    {"7z\xbc\xaf\x27\x1c"sv, "7-Zip archive"sv},
    {"PK\x03\x04"sv, "zip archive"sv},
    {"SQLite format 3\0"sv, "SQLite database"sv},
    {"\0asm"sv, "WebAssembly module"sv},
    {"\xca\xfe\xba\xbe"sv, "Java class or Mach-O program"sv},
    {"!<arch>\n"sv, "static library"sv},
    {"OggS"sv, "Ogg media"sv},
    {"ID3"sv, "MP3 audio"sv},
    {"fLaC"sv, "FLAC audio"sv},
    {"RIFF"sv, "RIFF media (WebP, WAV or AVI)"sv},
    {"wOF2"sv, "WOFF2 font"sv},
    {"\xff\xfe\0\0"sv, "UTF-32 text"sv},
    {"\xff\xfe"sv, "UTF-16 text"sv},
    {"\xfe\xff"sv, "UTF-16 text"sv},
});
constexpr std::size_t tar_magic_offset = 257;

}  // namespace

bool is_binary(std::string_view start) {
    return start.substr(0, binary_check_bytes).find('\0') != std::string_view::npos;
}

std::string_view binary_type(std::string_view start) {
    for (const auto& [magic, type] : magics)
        if (start.substr(0, magic.size()) == magic) return type;
    if (start.size() > tar_magic_offset && start.substr(tar_magic_offset, 5) == "ustar")
        return "tar archive";
    return "data";
}

std::string binary_message(std::string_view path, std::string_view start,
                           std::uint64_t size_bytes) {
    return std::string(path) + ": a binary file (" + std::string(binary_type(start)) + ", " +
           counted(size_bytes, "byte") + ")";
}

}  // namespace chorus::tools
