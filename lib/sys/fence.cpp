#include "sys/fence.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "base/text.hpp"
#include "sys/command_home.hpp"
#include "sys/confined.hpp"
#include "sys/file.hpp"
#include "sys/git_place.hpp"
#include "sys/open_beneath.hpp"
#include "sys/path_status.hpp"
#include "sys/system_places.hpp"

namespace chorus::sys {
namespace {

class Builder {
  public:
    explicit Builder(const Sandbox& sandbox) : sandbox_(sandbox) {}

    FencedPlaces build(const std::string& home) {
        add_workspace();
        if (!home.empty()) write(home.substr(0, home.rfind('/')));
        if (!sandbox_.belongings.empty()) {
            write(real_path(cache_of(sandbox_)));
            read(real_path(git_configuration_of(sandbox_)));
        }
        for (const auto& [path, real] : sandbox_.readable)
            if (!real.empty()) read(real);
        for (const char* path : system_directories) {
            places_.system.emplace_back(path);
            if (const auto real = resolved(path)) places_.paths.push_back(*real);
        }
        for (const std::string& path : system_secrets()) hide(path);
        for (const std::string& path : sandbox_.masked) hide(path);
        return std::move(places_);
    }

  private:
    void write(const std::string& path) {
        keep(places_.writable, path, open_real(path, O_PATH | O_DIRECTORY));
        written_.push_back(path);
        places_.paths.push_back(path);
    }
    void write(const std::string& path, std::shared_ptr<const Fd> directory) {
        places_.writable.push_back(std::move(directory));
        written_.push_back(path);
        places_.paths.push_back(path);
    }
    void read(const std::string& path) {
        Fd place = open_real(path, O_PATH);
        if (!place && errno == ENOENT) return;
        keep(places_.readable, path, std::move(place));
        places_.paths.push_back(path);
    }
    static void keep(std::vector<std::shared_ptr<const Fd>>& places, const std::string& path,
                     Fd place) {
        if (!place) throw not_opened_real(path);
        places.push_back(std::make_shared<const Fd>(std::move(place)));
    }

    // A linked worktree may write what all worktrees share, but not the HEAD, index or
    // configuration of another one.
    void add_workspace() {
        if (sandbox_.workspace.empty()) return;
        write(sandbox_.workspace);
        const GitPlace git = find_git(sandbox_.workspace);
        if (!git.is_there() || is_within(git.git_directory, sandbox_.workspace)) return;
        write(git.git_directory, git.git);
        if (!git.is_linked_worktree()) return;
        places_.readable.push_back(git.common);
        for (const char* name : shared_by_worktrees) {
            const std::string path = git.common_directory + "/" + name;
            if (!is_directory(path)) make_directory(path);
            Fd shared = open_beneath(git.common->get(), name, O_PATH | O_DIRECTORY, Links::none);
            if (!shared) throw not_opened_real(path);
            write(path, std::make_shared<const Fd>(std::move(shared)));
        }
    }

    void hide(const std::string& path) {
        const auto real = resolved(path);
        if (!real) return;
        for (const std::string& writable : written_)
            if (is_within(*real, writable))
                throw base::Error(base::ErrorCode::failed,
                                  path +
                                      ": it is in a directory that commands write, where the "
                                      "sandbox \"landlock\" cannot hide it",
                                  "move it out of " + writable);
        places_.hidden.push_back(*real);
    }

    const Sandbox& sandbox_;
    FencedPlaces places_;
    std::vector<std::string> written_;
};

}  // namespace

FencedPlaces fenced_places(const Sandbox& sandbox, const std::string& home) {
    return Builder(sandbox).build(home);
}

std::string FencedPlaces::searchable(std::string_view path) const {
    std::vector<std::string> kept;
    for (const std::string_view entry : base::split(path, ':')) {
        const auto real = resolved(std::string(entry));
        if (real && std::any_of(paths.begin(), paths.end(),
                                [&](const std::string& place) { return is_within(*real, place); }))
            kept.emplace_back(entry);
    }
    return base::join(kept, ":");
}

std::optional<base::Error> fence_problem() {
    if (fence_of_this_kernel() == Fence::landlock) return {};
    return base::Error(base::ErrorCode::failed,
                       "landlock: this kernel lacks it, or has a version below 2");
}

}  // namespace chorus::sys
