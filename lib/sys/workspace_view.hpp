// A workspace in which any name may be exchanged for a link at any moment; for this room's own use.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "sys/fd.hpp"

namespace chorus::sys {

// Which file it is, and in which state.
std::string mark_of(const struct stat& status);

// Paths are relative to the workspace, or those of a repository outside.
class WorkspaceView {
  public:
    // A path without links, found once.
    explicit WorkspaceView(const std::string& workspace);

    bool is_there() const { return static_cast<bool>(root_); }
    const std::string& workspace() const { return workspace_; }
    const std::string& home() const { return home_; }  // of the person

    // No link is followed.
    Fd opened(const std::string& path, int flags) const;
    std::optional<struct stat> status_of(const std::string& path) const;
    std::string full(const std::string& path) const;
    // Absolute, where a name that begins in `directory` leads, links and all; it need not be there
    // yet.
    std::string place_of(const std::string& directory, const std::string& name) const;
    // Such a place relative to the workspace; nothing where it is none below.
    std::optional<std::string> beneath(const std::string& real) const;

  private:
    std::string workspace_;
    std::string home_;
    Fd root_;
};

}  // namespace chorus::sys
