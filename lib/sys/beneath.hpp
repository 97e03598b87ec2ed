// A directory that paths cannot leave. Uses openat2 with RESOLVE_BENEATH, so that a link that a
// command makes in the meantime cannot lead out of it. Tools open files only through this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sys/environment.hpp"
#include "sys/fd.hpp"
#include "sys/path_rules.hpp"

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
    std::string message = {};  // "src/a.txt: no such file"
    Fd fd = {};
    Kind kind = Kind::file;
    std::uint64_t size_bytes = 0;
    unsigned mode = 0;
};

class Root {
  public:
    // `directory` is absolute. Throws where it cannot be opened. `what` names it in messages for
    // the model; `mask` is the umask for new files and directories.
    explicit Root(std::string directory, std::string what = "the workspace",
                  unsigned mask = private_umask);
    // Opens a path that had no links when it was recorded. Returns nothing where the path has a
    // link now, or where the directory is gone.
    static std::optional<Root> find(std::string directory, std::string what = "the workspace",
                                    unsigned mask = private_umask);
    // From now on only what these rules allow is opened, listed and written, in addition to the
    // rules before. What is refused is refused alike, whether it exists or not.
    void limit(PathRules rules) { rules_.push_back(std::move(rules)); }
    const std::vector<PathRules>& limits() const { return rules_; }
    // Returns the globs of the rules that only deny: of files that nobody reads in any scope.
    std::vector<std::string> hidden_files() const;
    // Whether the entry at that canonical path is listed.
    bool shows(std::string_view path, Kind kind) const;

    unsigned mask() const { return mask_; }
    const std::string& path() const { return path_; }
    int fd() const { return fd_.get(); }

    // Follows links that stay inside. Opens only regular files and directories, without blocking.
    // `path` is relative, or absolute inside the root; "" and "." are the root itself.
    Opened open_to_read(std::string_view path) const;
    // Reads a whole regular file. Returns false with a message in `error` for anything else, and
    // for a file of more than `most` bytes.
    bool read_file(std::string_view path, std::size_t most, std::string& content,
                   std::string& error) const;

    // Returns the path of an opened file with links resolved, in the form of `canonical`. Empty
    // where it is unknown.
    std::string location(const Opened& opened) const;

    // Follows no link. Refuses a component that is .git (is_git_name), and an existing file that
    // has more than one link or is not writable. Makes parents. Atomic: temporary, fsync, rename,
    // fsync. An existing file keeps its owner, group, mode, ACL and extended attributes, or is not
    // written. The mode of a new file and of new parents follows from `mask` or a default ACL.
    // Returns "" on success, else the message for the model.
    std::string write_file(std::string_view path, std::string_view content) const;

    // Removes what write_file of `path` left when its process was killed.
    void remove_temporaries(std::string_view path) const;

    // Returns the first `most` entries below `path` in byte order of their paths. Leaves out .git,
    // does not follow links below `path`, and skips what cannot be read. For a regular file returns
    // the file itself. `error` is the message where `path` cannot be opened, else empty.
    std::vector<Entry> walk(std::string_view path, std::size_t most, std::string& error) const;

    // Returns the path as actions and locks name it: relative to the root, without "." or "//",
    // ".." resolved lexically; the root itself is ".". Empty where it leads out of the root.
    std::string canonical(std::string_view path) const;

  private:
    Root(Fd fd, std::string directory, std::string what, unsigned mask);

    std::string path_;
    std::string real_;  // path_ with links resolved: what pwd(1) prints there
    std::string what_;
    unsigned mask_;
    Fd fd_;
    std::vector<PathRules> rules_;

    std::string why_not_opened(const std::string& path) const;
    std::string leads_out(std::string_view path) const;
    Opened refusal(std::string_view path, int error) const;
    std::string prepare_write(std::string_view path, std::vector<std::string>& names) const;
    Fd make_parents(const std::vector<std::string>& names) const;
};

// Whether a name is ".git" in any case, or one that a case-folding file system treats as ".git":
// with ignored characters inside, with blanks or dots at its end, or "git~1".
bool is_git_name(std::string_view component);

// Matches a glob of .gitignore or list_files against the whole path. ** matches anything, *
// anything but /, ? one character but /, [a-z], [!a] and [[:alpha:]] one character but /; \ takes
// the next character literally. A component ** also matches no component: a/**/b matches a/b. The
// time is bounded by pattern length times path length.
bool glob_matches(std::string_view pattern, std::string_view path);
// Whether it has a [ that no ] ends, which glob_matches takes for the character.
bool has_unclosed_class(std::string_view pattern);

}  // namespace chorus::sys
