#include "life/opening.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/error.hpp"
#include "sys/file.hpp"

namespace chorus::life {

using base::Error;
using base::ErrorCode;

namespace {

constexpr off_t bytes_of_an_empty_one = 4096;

bool has_names(const std::string& directory, std::string_view but_for) {
    if (!sys::is_directory(directory)) return false;
    const auto names = sys::list_directory(directory);
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return !name.starts_with('.') && name != but_for;
    });
}

// Returns nothing where the home may not be read: it has another owner, which is reported when it
// is opened.
std::optional<off_t> size_of(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) == 0) return status.st_size;
    if (errno == EACCES) return std::nullopt;
    return 0;
}

// Returns whether there are directories of agents, whatever the database contains.
bool has_directories(const agent::Home& home, std::string_view adopted) {
    return has_names(home.agents(), adopted) || has_names(home.archive(), {});
}

// Must be checked before the database is opened: if another process is creating the first agent,
// its directory appears after the database, and so the new database is not refused.
store::IfEmpty if_empty(const agent::Home& home, std::string_view adopted, bool creates) {
    const auto size = size_of(home.database());
    if (size && *size <= bytes_of_an_empty_one && has_directories(home, adopted))
        return store::IfEmpty::refuse;
    return creates ? store::IfEmpty::make : store::IfEmpty::not_found;
}

}  // namespace

store::Store::Paths database_paths(const agent::Home& home) {
    return {home.database(), home.gate(), home.presence_lock()};
}

store::Store open_home(const agent::Home& home, const sys::Environment& environment,
                       agent::IfMissing if_missing, agent::Groom groom, std::string_view adopted) {
    const bool creates = if_missing == agent::IfMissing::create;
    const bool unasked = groom == agent::Groom::automatic;
    const store::IfEmpty empty = if_empty(home, adopted, creates);
    if (!unasked && size_of(home.database()) && !sys::exists(home.database()) &&
        empty == store::IfEmpty::make)
        throw Error(ErrorCode::config_invalid,
                    home.path() + ": the home does not exist, and automatic creation is off",
                    "CHORUS_GROOM=auto creates it");
    agent::open_home(home, environment, if_missing);
    const auto if_old = unasked ? store::IfOld::migrate : store::IfOld::refuse;
    return store::Store::open(database_paths(home), if_old, empty);
}

}  // namespace chorus::life
