#include "sys/workspace_view.hpp"

#include <fcntl.h>

#include <cerrno>

#include "sys/directory.hpp"
#include "sys/environment.hpp"
#include "sys/file.hpp"
#include "sys/open_beneath.hpp"

namespace chorus::sys {

WorkspaceView::WorkspaceView(const std::string& workspace)
    : workspace_(workspace),
      home_(Environment::of_process().get("HOME")),
      root_(open_real(workspace, O_PATH | O_DIRECTORY)) {}

Fd WorkspaceView::opened(const std::string& path, int flags) const {
    if (path.starts_with('/')) return open_real(path, flags);
    return open_beneath(root_.get(), path.empty() ? "." : path, flags, Links::none);
}

std::optional<struct stat> WorkspaceView::status_of(const std::string& path) const {
    const Fd fd = opened(path, O_PATH | O_NOFOLLOW);
    return fd ? opened_status(fd) : std::nullopt;
}

std::optional<struct stat> WorkspaceView::follow_links(std::string& path) const {
    const auto status = status_of(path);
    const bool is_link = status ? S_ISLNK(status->st_mode) : errno == ELOOP;
    auto place = is_link ? beneath(place_of("", path)) : std::nullopt;
    if (!place) return status;
    path = std::move(*place);
    return status_of(path);
}

std::string WorkspaceView::full(const std::string& path) const {
    return path.starts_with('/') ? path : join_path(workspace_, path);
}

std::string WorkspaceView::place_of(const std::string& directory, const std::string& name) const {
    return weakly_resolved(name.starts_with("~/")  ? home_ + name.substr(1)
                           : name.starts_with('/') ? name
                                                   : full(directory + name));
}

std::optional<std::string> WorkspaceView::beneath(const std::string& real) const {
    if (real == workspace_ || !is_within(real, workspace_)) return std::nullopt;
    return real.substr(workspace_.size() + 1);
}

}  // namespace chorus::sys
