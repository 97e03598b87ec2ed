#include "life/opening.hpp"

#include "base/error.hpp"
#include "sys/file.hpp"

namespace chorus::life {

using base::Error;
using base::ErrorCode;

store::Store open_home(const agent::Home& home, const sys::Environment& environment,
                       agent::IfMissing if_missing, agent::Groom groom) {
    const bool creates = if_missing == agent::IfMissing::create;
    const bool unasked = groom == agent::Groom::automatic;
    if (creates && !unasked && !sys::exists(home.database()))
        throw Error(ErrorCode::config_invalid,
                    home.path() + ": no home of agents there, and it is not to be made unasked",
                    "--groom auto makes it");
    agent::open_home(home, environment, if_missing);
    const store::Store::Paths paths{home.database(), home.gate()};
    const auto if_old = unasked ? store::IfOld::migrate : store::IfOld::refuse;
    return creates ? store::Store::open(paths, if_old) : store::Store::open_existing(paths, if_old);
}

}  // namespace chorus::life
