// A workspace in which any name may be replaced by a link at any moment; for this room's own use.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "sys/fd.hpp"

namespace chorus::sys {

// Paths are relative to the workspace, or absolute for a repository outside.
class WorkspaceView {
  public:
    // `workspace` is a path without links, resolved once.
    explicit WorkspaceView(const std::string& workspace);

    bool is_there() const { return static_cast<bool>(root_); }
    int fd() const { return root_.get(); }
    const std::string& workspace() const { return workspace_; }
    const std::string& home() const { return home_; }  // of the user

    // These follow no link.
    Fd opened(const std::string& path, int flags) const;
    std::optional<struct stat> status_of(const std::string& path) const;
    // Follows links of the path that lead within the workspace; leaves it as it is if it has none,
    // or they lead out.
    std::optional<struct stat> follow_links(std::string& path) const;
    std::string full(const std::string& path) const;
    // Returns the absolute path, links resolved, where `name` leads from `directory`; it need not
    // exist.
    std::string place_of(const std::string& directory, const std::string& name) const;
    // Returns such a path relative to the workspace; nothing where it is not below it.
    std::optional<std::string> beneath(const std::string& real) const;

  private:
    std::string workspace_;
    std::string home_;
    Fd root_;
};

}  // namespace chorus::sys
