// What a sandboxed command sees of the file system; for this room's own use.
#pragma once

#include <sys/stat.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sys/fd.hpp"
#include "sys/sandbox.hpp"

namespace chorus::sys {

// Detects replaced mount points. The kernel removes a mount when a process outside renames another
// file over the mount point or removes it: a running command could then write, or read, the new
// one.
class MountGuard {
  public:
    // Called for a path before it is mounted over: absolute, without links, below `/`. Returns
    // "DEVICE:INODE", or "" where it is missing.
    std::string hold(const std::string& path);
    static std::string name_of(const struct stat& status);

    // From here on fd() is readable when something may have been replaced. It is -1 before, and
    // where inotify is not available: then call replaced() at intervals. Not for a command that
    // runs for milliseconds: the kernel takes ten to end the watch.
    void watch();
    int fd() const { return events_.get(); }
    // Returns a path that no longer leads to the same file or directory, or "".
    std::string replaced();
    // Returns the message for the user about that path.
    std::string told(const std::string& path) const;

  private:
    struct Guarded {
        std::string path;
        Fd held;  // keeps its inode from being reused, and its content readable
    };
    Fd events_;
    std::vector<Guarded> all_;
};

// bwrap processes its arguments in order, and a later mount hides what is below it. Sorted by path,
// a directory comes before its contents, wherever they lie (a workspace in /tmp).
//
// bwrap resolves paths, makes missing ones, and reaches everything that the user can. Below a
// directory that commands write, where a path leads elsewhere from one moment to the next, the
// inner program mounts instead, by descriptor and from inside, which is also several times faster.
// It also checks that bwrap mounted what was meant.
class Mounts {
  public:
    void bind(const std::string& path);
    // Shows what `real`, a path without links, names, if it exists, and nothing else.
    void bind(const std::string& path, const std::string& real);
    // For a path without links; throws where it is missing. The second shows the open directory, or
    // the command does not start.
    void bind_writable(const std::string& path);
    void bind_writable(const std::string& path, const Fd& directory);
    // For a path that a bind shows already: makes it a mount point, which cannot be renamed or
    // removed inside. Throw where it is missing, or a link leads there.
    void make_read_only(const std::string& path) { mount_inside("--read-only", path); }
    void keep_in_place(const std::string& path) { mount_inside("--in-place", path); }
    void put(const std::string& path, std::vector<std::string> arguments);
    bool has(const std::string& path) const { return arguments_.count(path) != 0; }

    // Hides the file or directory wherever it is visible, also through a bind of a path with links.
    void mask(const std::string& path);

    bool shows(const std::string& path) const;
    void append_to(std::vector<std::string>& all) const;
    // The mounts left to the inner program, as its options: chorus-sandbox(8).
    const std::vector<std::string>& inside() const { return inside_; }
    // Guards the read-only, kept and masked paths, which must not be replaced while the mounts
    // exist.
    const std::shared_ptr<MountGuard>& guard() const { return guard_; }
    // The paths that are bound writable.
    const std::vector<std::string>& writable() const { return writable_; }
    // Kept as long as the mounts exist.
    std::vector<std::shared_ptr<const void>> held = {};

  private:
    // Returns the path outside of what is visible at `path`, with links of the bind's own path
    // resolved.
    std::string source_of(const std::string& path) const;
    void mount_inside(const char* how, const std::string& path);
    void hide(const std::string& path, const std::string& real);
    void leave_inside(const char* how, const std::string& path, const std::string& identity);

    std::map<std::string, std::vector<std::string>> arguments_;
    std::map<std::string, std::string> visible_;  // path inside, path outside
    std::vector<std::string> inside_;
    std::shared_ptr<MountGuard> guard_ = std::make_shared<MountGuard>();
    std::vector<std::string> writable_;
};

// Returns all mounts. Makes missing mount points in .git.
Mounts mounts_of(const Sandbox& sandbox);

}  // namespace chorus::sys
