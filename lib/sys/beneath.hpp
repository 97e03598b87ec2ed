// A directory that paths cannot leave: openat2 with RESOLVE_BENEATH, so that no link made meanwhile
// by a command leads out of it. What tools open goes through here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sys/fd.hpp"

namespace chorus::sys {

enum class Kind { file, directory, link, other };

struct Entry {
    std::string path;  // relative to the root
    Kind kind = Kind::file;
    std::uint64_t size_bytes = 0;
};

// The outcome of opening: everything but `opened` has a message for the model.
enum class OpenOutcome { opened, missing, outside, wrong_kind, refused, failed };

struct Opened {
    OpenOutcome outcome = OpenOutcome::failed;
    std::string message;  // "src/a.txt: no such file"
    Fd fd;
    Kind kind = Kind::file;
    std::uint64_t size_bytes = 0;
    unsigned mode = 0;
};

class Root {
  public:
    explicit Root(std::string directory);  // absolute; throws where it cannot be opened
    const std::string& path() const { return path_; }
    int fd() const { return fd_.get(); }

    // Reading follows links that stay inside; only regular files and directories are opened, without
    // blocking. `path` may be relative, or absolute inside the root; "" and "." are the root itself.
    Opened open_to_read(std::string_view path) const;
    // The text of a regular file, at most `most` bytes of it; message in `error` otherwise.
    bool read_file(std::string_view path, std::size_t most, std::string& content,
                   std::string& error) const;

    // Writing follows no link at all, refuses a component that is .git in any case, and an existing
    // file that has more than one link. Makes parents. Atomic: temporary, fsync, rename, fsync; keeps
    // an existing file's mode. Empty on success, else the message for the model.
    std::string write_file(std::string_view path, std::string_view content) const;

    // Entries below `path`, sorted by path, .git left out, links not followed; stops at `most`.
    std::vector<Entry> walk(std::string_view path, std::size_t most, std::string& error) const;

    // The path as it stands in actions and locks: relative to the root, no "." or "//", ".." resolved
    // lexically. Empty when it leads out of the root ("" for the root itself is ".").
    std::string canonical(std::string_view path) const;

  private:
    std::string path_;
    Fd fd_;
};

// Glob of .gitignore and of list_files: ** any, * not /, ? one character but /, [..] classes.
bool glob_matches(std::string_view pattern, std::string_view path);

}  // namespace chorus::sys
