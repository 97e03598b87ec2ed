// The keys that a process sends its requests with: those of the provider's credential profiles, of
// which the database says which one is active, else the one in the provider's variable.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "agent/configuration.hpp"
#include "life/credentials.hpp"
#include "model/endpoint.hpp"
#include "policy/redaction.hpp"
#include "store/profiles.hpp"

namespace chorus::place {

struct Rotation {
    store::RotationRules rules;
    std::int64_t cooldown_ms = 300'000;  // at least, after a rate limit
};
// environment > config.json > built-in; `mode`: --profile-mode, "" if it was not given.
// Error(bad_request) for a malformed variable.
Rotation rotation_in_force(const std::string& mode, const agent::HomeConfiguration& home,
                           const sys::Environment& environment);

class Keys {
  public:
    // All references must outlive it. What the credentials answer is added to the redaction.
    Keys(store::Store& store, const agent::Home& home, Rotation rotation,
         const sys::Environment& environment, policy::Redaction& redaction)
        : store_(store),
          credentials_(home),
          rotation_(std::move(rotation)),
          environment_(environment),
          redaction_(redaction) {}

    // The endpoint with the key that was chosen last. This object must outlive it.
    model::Endpoint with_key(model::Endpoint endpoint) const;

    // Chooses what the next request to that provider is sent with; a name of "" and no resume_at
    // means its variable. A change of profile is written by `commit`, which runs its argument in a
    // transaction. Throws as life::read_key() does, whose command `stop` ends.
    using Commit = std::function<void(const std::function<void()>&)>;
    store::ProfileChoice choose(const model::Provider& provider, store::TurnId turn,
                                const Commit& commit, const std::function<bool()>& stop = {});
    // After an answer that the chosen profile is rate-limited, for `retry_after_ms` if that is
    // longer than the configured cooldown. Makes the next profile active, if the chosen one still
    // is. Returns 0 if a request can be sent now, else the time from which one can.
    base::TimeMs cool(std::int64_t retry_after_ms, store::TurnId turn, const Commit& commit);
    // Whether a rate limit makes another profile active.
    bool rotates(const model::Provider& provider);
    // Whether somebody has switched away, by force, from the profile that was chosen last. Cheap.
    bool is_cut();
    // The profile that was chosen last for that provider; "" for the variable, or none.
    std::string profile(const model::Provider& provider) const;
    // Returns the profile that a switch by hand would make usable now; "" if there is none, or if
    // profiles are switched automatically.
    std::string other_profile(const model::Provider& provider);
    // A name for what a request would be sent with now, without revealing it: another key or
    // profile has another name, and so has a provider none of whose profiles can be used now.
    std::string credential(const model::Provider& provider);

  private:
    store::ProfileRing ring(const std::string& provider);
    std::string read_key(const model::Provider& provider, const std::string& profile,
                         const std::function<bool()>& stop);

    store::Store& store_;
    life::CredentialFile credentials_;
    Rotation rotation_;
    const sys::Environment& environment_;
    policy::Redaction& redaction_;
    struct Kept {
        life::Credential credential;
        std::string key;
        std::int64_t until_ms = 0;  // monotonic
    };
    std::map<std::string, Kept> kept_;  // the answers of commands, by profile
    store::ProfileRing ring_;           // of the last choice
    std::string chosen_;
    std::string key_;
    std::int64_t seen_version_ = -1;  // of the database
};

}  // namespace chorus::place
