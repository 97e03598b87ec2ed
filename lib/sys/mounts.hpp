// What a sandboxed command sees of the file system; for this room's own use.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sys/mount_guard.hpp"
#include "sys/sandbox.hpp"

namespace chorus::sys {

// bwrap works its arguments off in order and what is mounted later hides what is below. Sorted by
// path, what contains comes before what is contained, whatever lies where (a workspace in /tmp).
//
// bwrap goes by paths, makes what it misses there, and reaches all that the user can. Below a
// directory that commands write, where a path leads elsewhere from one moment to the next, the
// inner program mounts, by descriptor and inside, which takes a fraction of the time too; and it
// looks whether bwrap mounted what was meant.
class Mounts {
  public:
    void bind(const std::string& path);
    // What a path without links names, if it is there, and nothing else.
    void bind(const std::string& path, const std::string& real);
    // Of a path without links; throws where it is not there. The second shows the directory that is
    // open, or nothing.
    void bind_writable(const std::string& path);
    void bind_writable(const std::string& path, const Fd& directory);
    // Of what a bind shows already: a mount point, which cannot be renamed or removed inside. These
    // throw where it is not there, or a link leads there.
    void make_read_only(const std::string& path) { mount_inside("--read-only", path); }
    void keep_in_place(const std::string& path) { mount_inside("--in-place", path); }
    void put(const std::string& path, std::vector<std::string> arguments);
    bool has(const std::string& path) const { return arguments_.count(path) != 0; }

    // Wherever the file or directory can be seen, also through a bind of a path with links in it.
    void mask(const std::string& path);

    bool shows(const std::string& path) const;
    void append_to(std::vector<std::string>& all) const;
    // What is left to the inner program, in its own words: chorus-sandbox(8).
    const std::vector<std::string>& inside() const { return inside_; }
    // Of what others must not replace while the mounts stand: read-only, in place and masked.
    const std::shared_ptr<MountGuard>& guard() const { return guard_; }
    // Bound writable.
    const std::vector<std::string>& writable() const { return writable_; }
    // To be kept as long as the mounts stand.
    std::vector<std::shared_ptr<const void>> held = {};

  private:
    // What lies there outside, links of the bind's own path resolved.
    std::string source_of(const std::string& path) const;
    void mount_inside(const char* how, const std::string& path);
    void hide(const std::string& path, const std::string& real);
    void leave_inside(const char* how, const std::string& path, const std::string& identity);

    std::map<std::string, std::vector<std::string>> arguments_;
    std::map<std::string, std::string> visible_;  // of this path there is what lies at that one
    std::vector<std::string> inside_;
    std::shared_ptr<MountGuard> guard_ = std::make_shared<MountGuard>();
    std::vector<std::string> writable_;
};

// All of it. Makes in .git what has to be there to be protected.
Mounts mounts_of(const Sandbox& sandbox);

}  // namespace chorus::sys
