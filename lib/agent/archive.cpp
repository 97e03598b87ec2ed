#include "agent/archive.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string_view>

#include "agent/libarchive.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"
#include "sys/named_file.hpp"

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

// Returns the path without "." and empty parts; nothing if it is empty, absolute or has a "..".
std::optional<std::string> plain_relative(std::string_view path) {
    if (path.empty() || path.front() == '/') return std::nullopt;
    std::vector<std::string> parts;
    for (const std::string_view part : base::split(path, '/')) {
        if (part == "..") return std::nullopt;
        if (!part.empty() && part != ".") parts.emplace_back(part);
    }
    return base::join(parts, "/");
}

bool is_plain_file(struct archive_entry* entry) {
    return libarchive().archive_entry_filetype(entry) == AE_IFREG &&
           libarchive().archive_entry_hardlink(entry) == nullptr;
}

// A .git file points to a repository elsewhere.
bool names_git(std::string_view path) {
    return base::to_lower_ascii(path.substr(path.rfind('/') + 1)) == ".git";
}

// libarchive has no message for a compressed file that is truncated in its last bytes.
std::string why(struct archive* archive) {
    const char* words = libarchive().archive_error_string(archive);
    return words != nullptr ? words : "truncated";
}

// Finds names that cannot exist in one directory before anything is written.
class Names {
  public:
    Names(const std::string& archive, const std::string& directory)
        : archive_(archive), most_bytes_(PATH_MAX - 1 - directory.size()) {}

    void add(const std::string& path, bool is_file) {
        if (path.size() > most_bytes_) refuse(path, "the path is too long");
        for (const std::string_view part : base::split(path, '/'))
            if (part.size() > NAME_MAX) refuse(path, "the name is too long");
        for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1))
            add_directory(path.substr(0, at), path);
        if (!is_file) return add_directory(path, path);
        if (directories_.count(path) > 0 || !files_.insert(path).second)
            refuse(path, "the archive contains it twice");
    }

  private:
    void add_directory(const std::string& directory, const std::string& path) {
        if (files_.count(directory) > 0) refuse(path, "the archive has a file in its place");
        directories_.insert(directory);
    }
    [[noreturn]] void refuse(const std::string& path, const char* why) const {
        throw Error(ErrorCode::bad_request,
                    archive_ + ": " + base::visible(path, base::Newlines::escape) + ": " + why,
                    "pack the agent again with chorus-context pack");
    }

    const std::string& archive_;
    std::size_t most_bytes_;
    std::set<std::string> files_;
    std::set<std::string> directories_;
};

// Reads an entry to its end in pieces.
void read_entry(struct archive* archive, std::uint64_t& budget,
                const std::function<void(std::string_view)>& use) {
    sys::Buffer buffer;
    for (;;) {
        const la_ssize_t size =
            libarchive().archive_read_data(archive, buffer.data(), buffer.size());
        if (size == 0) return;
        if (size < 0) throw Error(ErrorCode::bad_request, "archive: " + why(archive));
        if (static_cast<std::uint64_t>(size) > budget)
            throw Error(ErrorCode::bad_request, "archive: more than 16 GiB");
        budget -= static_cast<std::uint64_t>(size);
        use({buffer.data(), static_cast<std::size_t>(size)});
    }
}

PackedFile write_entry(struct archive* archive, const std::string& path, unsigned mode,
                       std::uint64_t& budget) {
    const sys::Fd fd(
        open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!fd) throw base::system_error(path);
    PackedFile written;
    base::Sha256 hash;
    read_entry(archive, budget, [&](std::string_view bytes) {
        sys::write_all(fd.get(), bytes, path);
        hash.add(bytes);
        written.size_bytes += bytes.size();
    });
    written.sha256 = hash.hex();
    return written;
}

std::string text_of_entry(struct archive* archive) {
    std::string text;
    std::uint64_t budget = most_manifest_bytes;
    read_entry(archive, budget, [&](std::string_view bytes) { text += bytes; });
    return text;
}

// Error(bad_request) if the archive's files are not those that `text` lists.
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

// Describes an archive that chorus-context pack made; it is empty for archives of other programs.
struct OfPacking {
    std::string mark;
    std::optional<std::string> manifest;
    Manifest found;
};

void check_packing(const OfPacking& packing, const std::string& archive) {
    if (packing.mark.empty() && !packing.manifest) return;
    const std::string schema(base::trim(packing.mark));
    if (!packing.mark.empty() && schema != pack_schema)
        throw Error(ErrorCode::bad_request,
                    archive + ": packed by a newer chorus (" +
                        base::visible(schema, base::Newlines::escape) + ")",
                    "use the newer chorus");
    if (!packing.manifest)
        throw Error(ErrorCode::bad_request,
                    archive + ": the archive is truncated: the manifest at its end is missing",
                    "pack the agent again");
    require_manifest(*packing.manifest, packing.found, archive);
}

Reader open_archive(const sys::InputFile& file) {
    Reader archive(libarchive().archive_read_new());
    // not _all: some of those filters run a program
    for (const int filter :
         {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_ZSTD})
        libarchive().archive_read_support_filter_by_code(archive.get(), filter);
    libarchive().archive_read_support_format_tar(archive.get());
    if (libarchive().archive_read_open_fd(archive.get(), file.fd(), 65536) != ARCHIVE_OK)
        throw Error(ErrorCode::bad_request,
                    file.name() + ": not a packed agent: " + why(archive.get()));
    return archive;
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

bool is_git_trap(const std::string& path) {
    static constexpr std::array<std::string_view, 12> history{
        "chorus.mutex", "commit_editmsg", "description", "fetch_head",  "head", "index",
        "logs",         "objects",        "orig_head",   "packed-refs", "refs", "shallow"};
    const std::string folded = "/" + base::to_lower_ascii(path) + "/";
    static constexpr std::string_view git = "/.git/";
    for (std::size_t at = folded.find(git); at != std::string::npos;
         at = folded.find(git, at + 1)) {
        const std::string_view inner = std::string_view(folded).substr(at + git.size());
        const std::string_view name = inner.substr(0, inner.find('/'));
        const bool is_history = std::find(history.begin(), history.end(), name) != history.end() ||
                                name.starts_with("sharedindex.");
        if (!name.empty() && (!is_history || inner.starts_with("objects/info/"))) return true;
    }
    return false;
}

bool is_left_out(const std::string& path, bool is_file) {
    return is_git_trap(path) || (is_file && names_git(path));
}

Unpacked unpack(const std::string& path, const std::string& directory) {
    const sys::InputFile file(path);
    const Reader archive = open_archive(file);
    Unpacked result;
    OfPacking packing;
    Names names(file.name(), directory + "/");
    std::uint64_t budget = most_packed_bytes;
    std::size_t entries = 0;
    struct archive_entry* entry = nullptr;
    for (;;) {
        const int status = libarchive().archive_read_next_header(archive.get(), &entry);
        if (status == ARCHIVE_EOF) break;
        // a warning: the name is not in this process's locale; it is used as it is
        if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
            throw Error(ErrorCode::bad_request,
                        file.name() + ": not a packed agent: " + why(archive.get()));
        if (++entries > most_packed_entries)
            throw Error(ErrorCode::bad_request, file.name() + ": more than 100,000 entries");
        const char* raw_name = libarchive().archive_entry_pathname(entry);
        const std::string name = raw_name != nullptr ? raw_name : "";
        const auto relative = plain_relative(name);
        if (libarchive().archive_entry_filetype(entry) == AE_IFDIR && relative) {
            if (relative->empty() || is_left_out(*relative, false)) continue;
            names.add(*relative, false);
            sys::make_directory(directory + "/" + *relative, 0700);
            continue;
        }
        if (!is_plain_file(entry) || !relative || relative->empty() ||
            is_left_out(*relative, true)) {
            result.left_out.push_back(base::visible(name, base::Newlines::escape));
            continue;
        }
        names.add(*relative, true);
        if (*relative == pack_mark_name) {
            packing.mark = text_of_entry(archive.get());
            continue;
        }
        if (*relative == manifest_name) {
            packing.manifest = text_of_entry(archive.get());
            continue;
        }
        ++result.files;
        const std::string to = directory + "/" + *relative;
        sys::make_directory(to.substr(0, to.rfind('/')), 0700);
        packing.found[*relative] = write_entry(
            archive.get(), to, (libarchive().archive_entry_perm(entry) & 0100U) != 0 ? 0700 : 0600,
            budget);
    }
    check_packing(packing, file.name());
    return result;
}

}  // namespace chorus::agent
