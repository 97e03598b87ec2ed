// Loads libarchive at the first call: it depends on fifteen other libraries, and only packing and
// adopting agents need it.
#include <archive.h>
#include <archive_entry.h>

#include "sys/library.hpp"

namespace {

const chorus::sys::Library& library() {
    static const chorus::sys::Library opened(CHORUS_ARCHIVE_PATH, "libarchive",
                                             "install the Debian package libarchive13");
    return opened;
}

template <typename Function>
Function found(Function function, const char* name) {
    return library().find(function, name);
}

}  // namespace

extern "C" {

__LA_MODE_T archive_entry_filetype(struct archive_entry* a) {
    static const auto call = found(&archive_entry_filetype, "archive_entry_filetype");
    return call(a);
}

void archive_entry_free(struct archive_entry* a) {
    static const auto call = found(&archive_entry_free, "archive_entry_free");
    return call(a);
}

const char* archive_entry_hardlink(struct archive_entry* a) {
    static const auto call = found(&archive_entry_hardlink, "archive_entry_hardlink");
    return call(a);
}

struct archive_entry* archive_entry_new() {
    static const auto call = found(&archive_entry_new, "archive_entry_new");
    return call();
}

const char* archive_entry_pathname(struct archive_entry* a) {
    static const auto call = found(&archive_entry_pathname, "archive_entry_pathname");
    return call(a);
}

__LA_MODE_T archive_entry_perm(struct archive_entry* a) {
    static const auto call = found(&archive_entry_perm, "archive_entry_perm");
    return call(a);
}

void archive_entry_set_filetype(struct archive_entry* a, unsigned int b) {
    static const auto call = found(&archive_entry_set_filetype, "archive_entry_set_filetype");
    return call(a, b);
}

void archive_entry_set_mtime(struct archive_entry* a, time_t b, long c) {
    static const auto call = found(&archive_entry_set_mtime, "archive_entry_set_mtime");
    return call(a, b, c);
}

void archive_entry_set_pathname(struct archive_entry* a, const char* b) {
    static const auto call = found(&archive_entry_set_pathname, "archive_entry_set_pathname");
    return call(a, b);
}

void archive_entry_set_perm(struct archive_entry* a, __LA_MODE_T b) {
    static const auto call = found(&archive_entry_set_perm, "archive_entry_set_perm");
    return call(a, b);
}

void archive_entry_set_size(struct archive_entry* a, la_int64_t b) {
    static const auto call = found(&archive_entry_set_size, "archive_entry_set_size");
    return call(a, b);
}

int archive_errno(struct archive* a) {
    static const auto call = found(&archive_errno, "archive_errno");
    return call(a);
}

const char* archive_error_string(struct archive* a) {
    static const auto call = found(&archive_error_string, "archive_error_string");
    return call(a);
}

la_ssize_t archive_read_data(struct archive* a, void* b, size_t c) {
    static const auto call = found(&archive_read_data, "archive_read_data");
    return call(a, b, c);
}

int archive_read_free(struct archive* a) {
    static const auto call = found(&archive_read_free, "archive_read_free");
    return call(a);
}

struct archive* archive_read_new() {
    static const auto call = found(&archive_read_new, "archive_read_new");
    return call();
}

int archive_read_next_header(struct archive* a, struct archive_entry** b) {
    static const auto call = found(&archive_read_next_header, "archive_read_next_header");
    return call(a, b);
}

int archive_read_open_fd(struct archive* a, int b, size_t c) {
    static const auto call = found(&archive_read_open_fd, "archive_read_open_fd");
    return call(a, b, c);
}

int archive_read_support_filter_bzip2(struct archive* a) {
    static const auto call =
        found(&archive_read_support_filter_bzip2, "archive_read_support_filter_bzip2");
    return call(a);
}

int archive_read_support_filter_gzip(struct archive* a) {
    static const auto call =
        found(&archive_read_support_filter_gzip, "archive_read_support_filter_gzip");
    return call(a);
}

int archive_read_support_filter_xz(struct archive* a) {
    static const auto call =
        found(&archive_read_support_filter_xz, "archive_read_support_filter_xz");
    return call(a);
}

int archive_read_support_filter_zstd(struct archive* a) {
    static const auto call =
        found(&archive_read_support_filter_zstd, "archive_read_support_filter_zstd");
    return call(a);
}

int archive_read_support_format_tar(struct archive* a) {
    static const auto call =
        found(&archive_read_support_format_tar, "archive_read_support_format_tar");
    return call(a);
}

int archive_write_add_filter_bzip2(struct archive* a) {
    static const auto call =
        found(&archive_write_add_filter_bzip2, "archive_write_add_filter_bzip2");
    return call(a);
}

int archive_write_add_filter_gzip(struct archive* a) {
    static const auto call = found(&archive_write_add_filter_gzip, "archive_write_add_filter_gzip");
    return call(a);
}

int archive_write_add_filter_xz(struct archive* a) {
    static const auto call = found(&archive_write_add_filter_xz, "archive_write_add_filter_xz");
    return call(a);
}

int archive_write_add_filter_zstd(struct archive* a) {
    static const auto call = found(&archive_write_add_filter_zstd, "archive_write_add_filter_zstd");
    return call(a);
}

int archive_write_close(struct archive* a) {
    static const auto call = found(&archive_write_close, "archive_write_close");
    return call(a);
}

la_ssize_t archive_write_data(struct archive* a, const void* b, size_t c) {
    static const auto call = found(&archive_write_data, "archive_write_data");
    return call(a, b, c);
}

int archive_write_free(struct archive* a) {
    static const auto call = found(&archive_write_free, "archive_write_free");
    return call(a);
}

int archive_write_header(struct archive* a, struct archive_entry* b) {
    static const auto call = found(&archive_write_header, "archive_write_header");
    return call(a, b);
}

struct archive* archive_write_new() {
    static const auto call = found(&archive_write_new, "archive_write_new");
    return call();
}

int archive_write_open_fd(struct archive* a, int b) {
    static const auto call = found(&archive_write_open_fd, "archive_write_open_fd");
    return call(a, b);
}

int archive_write_set_format_pax_restricted(struct archive* a) {
    static const auto call =
        found(&archive_write_set_format_pax_restricted, "archive_write_set_format_pax_restricted");
    return call(a);
}
}
