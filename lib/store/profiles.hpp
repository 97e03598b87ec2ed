// The state of credential profiles, which all processes share: which profile of a provider is
// active, which are rate-limited and until when, and the switches. Which profiles there are, and in
// which order, the caller says: they are in credentials.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "store/store.hpp"
#include "store/turns.hpp"

namespace chorus::store {

// The profiles of one provider, in the order of rotation. Without a row in the database, the first
// is active. Where there are none, none is active or chosen.
struct ProfileRing {
    std::string provider;
    std::vector<std::string> names;
};

struct ProfileState {
    std::string name;
    bool is_active = false;
    base::TimeMs cools_until = 0;  // 0: it is not rate-limited
};
std::string active_profile(Store& store, const ProfileRing& ring);
std::vector<ProfileState> profile_states(Store& store, const ProfileRing& ring, base::TimeMs now);

struct RotationRules {
    bool is_automatic = true;
    std::int64_t most_per_hour = 20;  // switches because of a rate limit, for each provider
};

// The profile that a request is sent with.
struct ProfileChoice {
    std::string name;  // "": none before resume_at, or there are none
    base::TimeMs resume_at = 0;
    std::string previous = {};  // the profile that was active, if it has to change
};

// Returns what choose_profile() would, without writing.
ProfileChoice profile_choice(Store& store, const ProfileRing& ring, const RotationRules& rules,
                             base::TimeMs now);
// Carries out a requested switch, and leaves an active profile that is rate-limited for the next
// one after it that is not. Inside a transaction of the caller.
ProfileChoice choose_profile(Store& store, const ProfileRing& ring, const RotationRules& rules,
                             TurnId turn, base::TimeMs now);
// Marks a profile as rate-limited until then, or until a later time that is known already. Inside a
// transaction of the caller.
void cool_profile(Store& store, const std::string& name, base::TimeMs until);

// Inside a transaction of the caller.
void end_cooldown(Store& store, const std::string& name);

struct RequestedSwitch {
    std::string name;
    bool is_forced = false;  // requests in flight are cut
    base::TimeMs at = 0;
    std::string actor = {};
};
std::optional<RequestedSwitch> requested_switch(Store& store, const std::string& provider);
// Replaces one that was requested before. Inside a transaction of the caller.
void request_switch(Store& store, const std::string& provider, const RequestedSwitch& wanted);
// Makes a profile active at once and drops a requested switch. Inside a transaction of the caller.
void activate_profile(Store& store, const ProfileRing& ring, const std::string& name,
                      base::TimeMs now);
// Whether a forced switch cuts a request with that profile.
bool is_cut(Store& store, const ProfileRing& ring, const std::string& used);
// Removes the state of a profile. Inside a transaction of the caller.
void forget_profile(Store& store, const std::string& provider, const std::string& name);

}  // namespace chorus::store
