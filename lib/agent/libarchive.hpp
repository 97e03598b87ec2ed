// libarchive, opened by its path at the first call: it depends on fifteen other libraries, and only
// packing and adopting agents need it. Include it in this room's .cpp files only.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include "base/handle.hpp"

namespace chorus::agent {

// The functions that are called.
#define CHORUS_ARCHIVE_FUNCTIONS(FUNCTION)        \
    FUNCTION(archive_entry_filetype)              \
    FUNCTION(archive_entry_free)                  \
    FUNCTION(archive_entry_hardlink)              \
    FUNCTION(archive_entry_new)                   \
    FUNCTION(archive_entry_pathname)              \
    FUNCTION(archive_entry_perm)                  \
    FUNCTION(archive_entry_set_filetype)          \
    FUNCTION(archive_entry_set_mtime)             \
    FUNCTION(archive_entry_set_pathname)          \
    FUNCTION(archive_entry_set_perm)              \
    FUNCTION(archive_entry_set_size)              \
    FUNCTION(archive_errno)                       \
    FUNCTION(archive_error_string)                \
    FUNCTION(archive_read_data)                   \
    FUNCTION(archive_read_free)                   \
    FUNCTION(archive_read_new)                    \
    FUNCTION(archive_read_next_header)            \
    FUNCTION(archive_read_open_fd)                \
    FUNCTION(archive_read_support_filter_by_code) \
    FUNCTION(archive_read_support_format_tar)     \
    FUNCTION(archive_write_add_filter_by_name)    \
    FUNCTION(archive_write_close)                 \
    FUNCTION(archive_write_data)                  \
    FUNCTION(archive_write_free)                  \
    FUNCTION(archive_write_header)                \
    FUNCTION(archive_write_new)                   \
    FUNCTION(archive_write_open_fd)               \
    FUNCTION(archive_write_set_format_pax_restricted)

struct Libarchive {
#define CHORUS_MEMBER(name) decltype(&::name) name;
    CHORUS_ARCHIVE_FUNCTIONS(CHORUS_MEMBER)
#undef CHORUS_MEMBER
};

// Throws Error(failed) that names the Debian package.
const Libarchive& libarchive();

inline void free_reader(struct archive* reader) {
    libarchive().archive_read_free(reader);
}
inline void free_writer(struct archive* writer) {
    libarchive().archive_write_free(writer);
}
inline void free_entry(struct archive_entry* entry) {
    libarchive().archive_entry_free(entry);
}
using Reader = base::Handle<struct archive, free_reader>;
using Writer = base::Handle<struct archive, free_writer>;
using ArchiveEntry = base::Handle<struct archive_entry, free_entry>;

}  // namespace chorus::agent
