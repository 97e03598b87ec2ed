// A directory that paths cannot leave: openat2 with RESOLVE_BENEATH, so that no link made meanwhile
// by a command leads out of it. What tools open goes through here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sys/environment.hpp"
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
    // Absolute; throws where it cannot be opened. `what` is its name in messages for the model,
    // `mask` the umask of what is made there.
    explicit Root(std::string directory, std::string what = "the workspace",
                  unsigned mask = private_umask);
    // Opens a path that had no links when it was noted. Returns nothing where a link is on the way
    // by now, or where the directory is gone.
    static std::optional<Root> find(std::string directory, std::string what = "the workspace",
                                    unsigned mask = private_umask);
    unsigned mask() const { return mask_; }
    const std::string& path() const { return path_; }
    int fd() const { return fd_.get(); }

    // Reading follows links that stay inside; only regular files and directories are opened,
    // without blocking. `path` may be relative, or absolute inside the root; "" and "." are the
    // root itself.
    Opened open_to_read(std::string_view path) const;
    // The whole text of a regular file; a message in `error` otherwise, also for a file of more
    // than `most` bytes.
    bool read_file(std::string_view path, std::size_t most, std::string& content,
                   std::string& error) const;

    // Where links led to: the opened file's path as `canonical` writes it. Empty where it cannot be
    // told.
    std::string location(const Opened& opened) const;

    // Writing follows no link at all, refuses a component that is .git (is_git_name) and an
    // existing file that has more than one link or is not writable. Makes parents. Atomic:
    // temporary, fsync, rename, fsync. An existing file keeps its owner, group, mode, ACL and
    // extended attributes, or is not written; the mode of a new one, and of parents, is what `mask`
    // or a default ACL leaves. Empty on success, else the message for the model.
    std::string write_file(std::string_view path, std::string_view content) const;

    // What write_file of `path` left when its process was killed.
    void remove_temporaries(std::string_view path) const;

    // Entries below `path`, the first `most` of them in the order of their paths' bytes, .git left
    // out, links below it not followed, what cannot be read skipped; for a regular file the file
    // itself. `error` is the message where `path` cannot be opened, else empty.
    std::vector<Entry> walk(std::string_view path, std::size_t most, std::string& error) const;

    // The path as it stands in actions and locks: relative to the root, no "." or "//", ".."
    // resolved lexically. Empty when it leads out of the root ("" for the root itself is ".").
    std::string canonical(std::string_view path) const;

  private:
    Root(Fd fd, std::string directory, std::string what, unsigned mask);

    std::string path_;
    std::string real_;  // path_ with links resolved: what pwd(1) answers a command there
    std::string what_;
    unsigned mask_;
    Fd fd_;

    std::string leads_out(std::string_view path) const;
    Opened refusal(std::string_view path, int error) const;
    std::string prepare_write(std::string_view path, std::vector<std::string>& names) const;
    Fd make_parents(const std::vector<std::string>& names) const;
};

// ".git" in any case, and what file systems that fold names take for it: ignored characters inside,
// blanks and dots at its end, "git~1".
bool is_git_name(std::string_view component);

// Glob of .gitignore and of list_files, against the whole path: ** any, * not /, ? one character
// but
// /, [a-z], [!a] and [[:alpha:]] one character but /, \ takes the next literally. A component **
// also stands for no component: a/**/b matches a/b. Its time is bounded by pattern times path.
bool glob_matches(std::string_view pattern, std::string_view path);

}  // namespace chorus::sys
