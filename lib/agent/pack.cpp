#include "agent/pack.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>

#include "agent/archive.hpp"
#include "agent/libarchive.hpp"
#include "base/error.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "sys/beneath.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"

namespace chorus::agent {
namespace {

using base::Error;
using base::ErrorCode;

struct Compression {
    std::string_view ending;
    const char* filter;
};
constexpr std::array compressions{
    Compression{".gz", "gzip"}, Compression{".tgz", "gzip"}, Compression{".bz2", "bzip2"},
    Compression{".xz", "xz"},   Compression{".zst", "zstd"},
};

// Other programs choose the format by the ending, and could not read a file whose ending names
// another format.
void refuse_unknown_ending(const std::string& file) {
    const std::string ending = std::filesystem::path(file).extension();
    if (ending.empty() || ending == ".tar" ||
        std::any_of(compressions.begin(), compressions.end(),
                    [&](const Compression& each) { return each.ending == ending; }))
        return;
    throw Error(ErrorCode::bad_request,
                base::quoted(file) + ": unsupported archive ending " + base::quoted(ending),
                "use .tar, .tar.gz, .tar.bz2, .tar.xz or .tar.zst");
}

class Packing {
  public:
    Packing(const std::string& directory, const std::string& path, int fd,
            const std::function<void()>& stop)
        : root_(directory, "the agent"),
          path_(path),
          stop_(stop),
          writer_(libarchive().archive_write_new()) {
        libarchive().archive_write_set_format_pax_restricted(writer_.get());
        for (const Compression& each : compressions)
            if (path.ends_with(each.ending))
                check(libarchive().archive_write_add_filter_by_name(writer_.get(), each.filter));
        check(libarchive().archive_write_open_fd(writer_.get(), fd));
    }

    // Writes the mark entry, which a reader finds first.
    void begin_archive() {
        add_entry(std::string(pack_mark_name), std::string(pack_schema) + "\n");
    }

    void add_text(const PackedText& more) {
        add_entry(more.name, more.text);
        note(more.name, more.text.size());
    }

    // Adds the content of the agent's directory, without the names in `except`.
    void add_all(const std::vector<PackedText>& except) {
        add_directory("", root_.open_to_read(""), except);
    }

    Packed finish() {
        add_entry(std::string(manifest_name), manifest_text(manifest_));
        check(libarchive().archive_write_close(writer_.get()));
        return std::move(packed_);
    }

  private:
    void add_entry(const std::string& name, std::string_view text) {
        begin(name, AE_IFREG, 0600, static_cast<std::int64_t>(text.size()), sys::now_ms() / 1000);
        write(text);
    }

    void note(const std::string& path, std::uint64_t size) {
        manifest_[path] = {size, hash_.hex()};
        ++packed_.files;
    }

    void add_directory(const std::string& directory, sys::Opened opened,
                       const std::vector<PackedText>& except) {
        for (const std::string& name :
             sys::list_directory(std::move(opened.fd), root_.path() + "/" + directory)) {
            const bool is_given =
                std::any_of(except.begin(), except.end(),
                            [&](const PackedText& more) { return more.name == name; });
            if (!is_given && !sys::is_temporary(name) &&
                !(directory.empty() && is_of_packing(name)))
                add(directory.empty() ? name : directory + "/" + name);
        }
    }

    void add(const std::string& path) {
        if (is_git_trap(path)) return;
        // created again when unpacked, or useless there
        if (path == "current" || path == "commands" || path == ".checkpoints") return;
        if (path.size() > most_packed_path_bytes) return leave_out(path);
        sys::Opened opened =
            sys::is_link(root_.path() + "/" + path) ? sys::Opened() : root_.open_to_read(path);
        struct stat status {};
        if (opened.outcome == sys::OpenOutcome::missing) return;
        if (opened.outcome != sys::OpenOutcome::opened || fstat(opened.fd.get(), &status) != 0) {
            leave_out(path);
        } else if (opened.kind == sys::Kind::directory) {
            begin(path, AE_IFDIR, 0700, 0, status.st_mtime);
            add_directory(path, std::move(opened), {});
        } else {
            add_file(path, opened, status);
        }
    }

    void leave_out(const std::string& path) {
        packed_.left_out.push_back(base::visible(path, base::Newlines::escape));
    }

    void add_file(const std::string& path, const sys::Opened& opened, const struct stat& status) {
        begin(path, AE_IFREG, (status.st_mode & 0100U) != 0 ? 0700 : 0600, status.st_size,
              status.st_mtime);
        sys::Buffer buffer;
        for (std::int64_t left = status.st_size; left > 0;) {
            const std::size_t most = static_cast<std::size_t>(
                std::min<std::int64_t>(left, static_cast<std::int64_t>(buffer.size())));
            const ssize_t size = read(opened.fd.get(), buffer.data(), most);
            if (size < 0 && errno == EINTR) continue;
            if (size < 0) throw base::system_error(root_.path() + "/" + path);
            if (size == 0)
                throw Error(ErrorCode::failed,
                            root_.path() + "/" + path + ": it shrank while it was read",
                            "pack again when no process writes it");
            write({buffer.data(), static_cast<std::size_t>(size)});
            left -= size;
        }
        note(path, static_cast<std::uint64_t>(status.st_size));
    }

    void begin(const std::string& name, unsigned type, unsigned mode, std::int64_t size,
               std::int64_t time) {
        if (++entries_ > most_packed_entries)
            throw Error(ErrorCode::failed, path_ + ": the agent has more than 100,000 files");
        if ((bytes_ += size) > static_cast<std::int64_t>(most_packed_bytes))
            throw Error(ErrorCode::failed, path_ + ": the agent has more than 16 GiB");
        const ArchiveEntry entry(libarchive().archive_entry_new());
        libarchive().archive_entry_set_pathname(entry.get(), name.c_str());
        libarchive().archive_entry_set_filetype(entry.get(), type);
        libarchive().archive_entry_set_perm(entry.get(), mode);
        libarchive().archive_entry_set_size(entry.get(), size);
        libarchive().archive_entry_set_mtime(entry.get(), time, 0);
        check(libarchive().archive_write_header(writer_.get(), entry.get()));
        hash_ = base::Sha256();
    }

    void write(std::string_view bytes) {
        stop_();
        hash_.add(bytes);
        const la_ssize_t written =
            libarchive().archive_write_data(writer_.get(), bytes.data(), bytes.size());
        if (written < 0) check(ARCHIVE_FATAL);
    }

    // A warning: a name is not in this process's locale; it is used as it is.
    void check(int status) const {
        if (status == ARCHIVE_OK || status == ARCHIVE_WARN) return;
        const int number = libarchive().archive_errno(writer_.get());
        if (base::cause_of(number) != base::Cause::unknown)
            throw base::system_error(path_, number);
        throw Error(ErrorCode::failed,
                    path_ + ": " + libarchive().archive_error_string(writer_.get()));
    }

    sys::Root root_;
    const std::string& path_;
    const std::function<void()>& stop_;
    Writer writer_;
    Packed packed_;
    Manifest manifest_;
    base::Sha256 hash_;  // of the entry being written
    std::size_t entries_ = 0;
    std::int64_t bytes_ = 0;
};

void refuse_inside(const std::string& directory, const std::string& archive) {
    const std::size_t slash = archive.rfind('/');
    const std::string parent = slash == std::string::npos ? "." : archive.substr(0, slash + 1);
    const std::string inner = sys::real_path(parent) + "/";
    if (inner.rfind(sys::real_path(directory) + "/", 0) == 0)
        throw Error(ErrorCode::bad_request,
                    archive + ": the archive would be inside the directory that it packs",
                    "write it to another directory");
}

}  // namespace

Packed pack(const std::string& directory, const std::vector<PackedText>& more,
            const sys::OutputFile& archive, const std::function<void()>& stop) {
    refuse_unknown_ending(archive.path());
    if (!archive.is_stdout()) refuse_inside(directory, archive.path());
    Packed packed;
    archive.stream([&](int fd) {
        Packing packing(directory, archive.path(), fd, stop);
        packing.begin_archive();
        for (const PackedText& each : more) packing.add_text(each);
        packing.add_all(more);
        packed = packing.finish();
    });
    return packed;
}

}  // namespace chorus::agent
