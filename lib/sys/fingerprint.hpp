// The state of a directory tree: what the file system says of every entry in it. Two of them tell
// whether anything has changed between two moments, and what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sys/beneath.hpp"

namespace chorus::sys {

class Fingerprint {
  public:
    // Of everything below the root, ignored files included; no link is followed. Of a git directory
    // (.git, with HEAD, objects and refs) what git itself writes does not count: it changes with
    // every git command. Of a directory neither times nor size count, and below a git directory it
    // does not count at all: what is new in it or gone is an entry of its own.
    static Fingerprint of(const Root& root);
    // Of everything below the root but a .git right in it, and files that write_file has not put in
    // place yet: a git directory below is one like others.
    static Fingerprint of_files(const Root& root);
    // Of one file; of nothing where there is none.
    static Fingerprint of_file(const Root& root, std::string_view path);

    // What has changed since `before`, sorted: "a.c", "b.c (new)", "c.c (gone)". A file that was
    // hashed then, because it was too young for its times to tell, is hashed again now.
    std::vector<std::string> changes_since(const Fingerprint& before) const;
    struct Change {
        std::string path;
        std::string_view how;  // "", " (new)", " (gone)"
    };
    // Of a tree that was copied with its times every file is another one, and may count as the
    // same.
    enum class Copies { are_changes, are_the_same };
    std::vector<Change> all_changes_since(const Fingerprint& before,
                                          Copies copies = Copies::are_changes) const;

    struct Entry {
        std::string path;  // a directory that cannot be read has another, with a '/' behind it
        std::uint64_t mode = 0;  // with the type
        std::uint64_t inode = 0;
        std::uint64_t size_bytes = 0;
        std::uint64_t modified_ns = 0;
        std::uint64_t changed_ns = 0;
        std::string more = {};  // a link's target; the SHA-256 of a file that was too young
    };
    const std::vector<Entry>& entries() const { return entries_; }  // sorted by path
    std::vector<Entry> take_entries() && { return std::move(entries_); }
    // Sorted by path; for text().
    static Fingerprint made_of(std::vector<Entry> entries);

    std::size_t size() const { return entries_.size(); }
    std::string text() const;
    // Nothing where it is none that `text` wrote.
    static std::optional<Fingerprint> parse(std::string_view text);

  private:
    class Look;
    static bool is_same(const Entry& before, const Entry& now, int root, Copies copies);

    std::string root_;            // "" where it was read from a text
    std::vector<Entry> entries_;  // sorted by path
};

}  // namespace chorus::sys
