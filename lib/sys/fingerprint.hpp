// The state of a directory tree: what the file system reports for every entry. Comparing two shows
// whether anything changed in between, and what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sys/beneath.hpp"

namespace chorus::sys {

class Fingerprint {
  public:
    struct Entry {
        std::string path;  // a directory that cannot be read has a second entry, ending in '/'
        std::uint64_t mode = 0;  // with the file type
        std::uint64_t inode = 0;
        std::uint64_t size_bytes = 0;
        std::uint64_t modified_ns = 0;
        std::uint64_t changed_ns = 0;
        std::string more = {};  // a link's target; the SHA-256 of a recently changed file
        bool operator==(const Entry&) const = default;
    };
    // `entries` are sorted by path; without `root` the fingerprint is only compared with.
    explicit Fingerprint(std::vector<Entry> entries = {}, std::string root = {})
        : root_(std::move(root)), entries_(std::move(entries)) {}

    // Covers everything below the root, ignored files included; follows no link. In a git directory
    // (.git, with HEAD, objects and refs) files that git itself writes are left out: they change
    // with every git command. Times and size of a directory do not count, and directories in a git
    // directory are left out: a new or removed entry in them counts by itself.
    static Fingerprint of(const Root& root);
    // Covers everything below the root except a .git directly in it and temporaries of write_file.
    // A git directory further down counts like any other.
    static Fingerprint of_files(const Root& root);
    // Covers one file; empty where there is none.
    static Fingerprint of_file(const Root& root, std::string_view path);

    // Returns what has changed since `before`, sorted: "a.c", "b.c (new)", "c.c (gone)". A file
    // that was hashed then, because its times were too recent to be reliable, is hashed again now.
    std::vector<std::string> changes_since(const Fingerprint& before) const;
    struct Change {
        std::string path;
        std::string_view how;  // "", " (new)", " (gone)"
    };
    // In a tree that was copied with its times every file has another inode; `are_the_same` ignores
    // that.
    enum class Copies { are_changes, are_the_same };
    std::vector<Change> all_changes_since(const Fingerprint& before,
                                          Copies copies = Copies::are_changes) const;

    const std::vector<Entry>& entries() const { return entries_; }  // sorted by path
    std::vector<Entry> take_entries() && { return std::move(entries_); }

    std::size_t size() const { return entries_.size(); }
    std::string text() const;
    // Returns nothing for text that text() did not write.
    static std::optional<Fingerprint> parse(std::string_view text);

  private:
    class Look;
    static bool is_same(const Entry& before, const Entry& now, int root, Copies copies);

    std::string root_;            // "" where it was parsed from a text
    std::vector<Entry> entries_;  // sorted by path
};

}  // namespace chorus::sys
