#include "repo/owner.hpp"

#include "base/error.hpp"
#include "sys/environment.hpp"
#include "sys/safe_directory.hpp"

namespace chorus::repo {

void check_owner(const std::string& what, const std::string& directory,
                 const sys::GitPlace& place) {
    const auto environment = sys::Environment::of_process();
    if (sys::owns_repository(directory, place, environment) ||
        sys::is_safe_directory(directory, environment))
        return;
    throw base::Error(base::ErrorCode::failed, what + ": the repository belongs to another user",
                      "git config --global --add safe.directory " + directory);
}

}  // namespace chorus::repo
