#include "life/opening.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "base/error.hpp"
#include "sys/file.hpp"

namespace chorus::life {

using base::Error;
using base::ErrorCode;

namespace {

constexpr off_t bytes_of_an_empty_one = 4096;

// Seen before the database is read: another process may be making the first agent.
store::IfEmpty if_empty(const agent::Home& home) {
    struct stat status {};
    const bool may_be_empty =
        stat(home.database().c_str(), &status) == 0 && status.st_size <= bytes_of_an_empty_one;
    return may_be_empty && has_directories(home) ? store::IfEmpty::refuse : store::IfEmpty::make;
}

}  // namespace

bool has_directories(const agent::Home& home) {
    if (!sys::is_directory(home.agents())) return false;
    const auto names = sys::list_directory(home.agents());
    return std::any_of(names.begin(), names.end(),
                       [](const std::string& name) { return !name.starts_with('.'); });
}

store::Store::Paths database_paths(const agent::Home& home) {
    return {home.database(), home.gate(), home.presence_lock()};
}

store::Store open_home(const agent::Home& home, const sys::Environment& environment,
                       agent::IfMissing if_missing, agent::Groom groom) {
    const bool creates = if_missing == agent::IfMissing::create;
    const bool unasked = groom == agent::Groom::automatic;
    if (creates && !unasked && !sys::exists(home.database()))
        throw Error(ErrorCode::config_invalid,
                    home.path() + ": no home of agents there, and it is not to be made unasked",
                    "--groom auto makes it");
    agent::open_home(home, environment, if_missing);
    const store::Store::Paths paths = database_paths(home);
    const auto if_old = unasked ? store::IfOld::migrate : store::IfOld::refuse;
    return creates ? store::Store::open(paths, if_old, if_empty(home))
                   : store::Store::open_existing(paths, if_old, if_empty(home));
}

}  // namespace chorus::life
