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
class Mounts {
  public:
    void bind(const std::string& path);
    void bind_writable(const std::string& path);
    // Of what a bind shows already.
    // Throws where it is not there, or a link leads there.
    void rebind(const std::string& path, const char* how = "--ro-bind");
    void put(const std::string& path, std::vector<std::string> arguments);
    bool has(const std::string& path) const { return arguments_.count(path) != 0; }

    // Wherever the file or directory can be seen, also through a bind of a path with links in it.
    void mask(const std::string& path);

    bool shows(const std::string& path) const;
    void append_to(std::vector<std::string>& all) const;
    // What is to be found where it was rebound: bwrap goes by paths, and a command that runs may
    // have changed what lies there meanwhile.
    const std::vector<std::string>& expected() const { return expected_; }
    // Of what others must not replace while the mounts stand: rebound and masked.
    const std::shared_ptr<MountGuard>& guard() const { return guard_; }
    // Bound writable.
    const std::vector<std::string>& writable() const { return writable_; }
    // To be kept as long as the mounts stand.
    std::vector<std::shared_ptr<const void>> held = {};

  private:
    std::map<std::string, std::vector<std::string>> arguments_;
    std::map<std::string, std::string> visible_;  // of this path there is what lies at that one
    std::vector<std::string> expected_;
    std::shared_ptr<MountGuard> guard_ = std::make_shared<MountGuard>();
    std::vector<std::string> writable_;
};

// All of it. Makes in .git what has to be there to be protected.
Mounts mounts_of(const Sandbox& sandbox);

}  // namespace chorus::sys
