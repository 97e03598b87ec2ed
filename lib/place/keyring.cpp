#include "place/keyring.hpp"

#include <algorithm>
#include <utility>

#include "base/hash.hpp"
#include "sys/clock.hpp"

namespace chorus::place {
namespace {

constexpr std::int64_t shortest_cooldown_ms = 1'000;

}  // namespace

Rotation rotation_in_force(const std::string& mode, const agent::HomeConfiguration& home,
                           const sys::Environment& environment) {
    Rotation rotation;
    const std::string named =
        !mode.empty() ? mode : environment.get("CHORUS_PROFILE_MODE", home.profile_mode);
    if (!agent::profile_modes.find(named))
        throw base::Error(base::ErrorCode::bad_request,
                          "CHORUS_PROFILE_MODE: expected 'auto' or 'manual'");
    rotation.rules.is_automatic = named == "auto";
    rotation.rules.most_per_hour =
        environment.find_count("CHORUS_ROTATE_MAX_PER_HOUR").value_or(home.rotate_max_per_hour);
    // without a pause, profiles that are all limited would be asked in a loop
    rotation.cooldown_ms = std::max(
        environment.find_ms("CHORUS_ROTATE_COOLDOWN_SECS").value_or(home.rotate_cooldown_ms),
        shortest_cooldown_ms);
    return rotation;
}

model::Endpoint Keys::with_key(model::Endpoint endpoint) const {
    endpoint.key = [this] { return key_; };
    return endpoint;
}

std::string Keys::profile(const model::Provider& provider) const {
    return ring_.provider == provider.name ? chosen_ : "";
}

std::string Keys::other_profile(const model::Provider& provider) {
    if (rotation_.rules.is_automatic) return {};
    store::RotationRules rules = rotation_.rules;
    rules.is_automatic = true;
    const std::string name =
        store::profile_choice(store_, ring(provider.name), rules, sys::now_ms()).name;
    return name == profile(provider) ? "" : name;
}

store::ProfileRing Keys::ring(const std::string& provider) {
    return {provider, life::profiles_of(credentials_.now(), provider)};
}

std::string Keys::read_key(const model::Provider& provider, const std::string& profile,
                           const std::function<bool()>& stop) {
    constexpr std::int64_t spare_ms = 30'000;  // for a request that takes a while
    if (profile.empty())
        return provider.key_variable.empty() ? "" : environment_.get(provider.key_variable);
    const life::Credential& credential = *life::find_credential(credentials_.now(), profile);
    Kept& kept = kept_[profile];
    if (kept.until_ms <= sys::monotonic_ms() || kept.credential != credential) {
        const life::Key key = life::read_key(credential, environment_, stop);
        kept = {credential, key.text, 0};
        if (key.expires_in_s > 0)
            kept.until_ms = sys::monotonic_ms() + key.expires_in_s * 1'000 - spare_ms;
        redaction_.add(key.text);
    }
    return kept.key;
}

store::ProfileChoice Keys::choose(const model::Provider& provider, store::TurnId turn,
                                  const Commit& commit, const std::function<bool()>& stop) {
    if (ring_.provider != provider.name) chosen_.clear();
    ring_ = ring(provider.name);
    store::ProfileChoice choice;
    if (!ring_.names.empty()) {
        choice = store::profile_choice(store_, ring_, rotation_.rules, sys::now_ms());
        if (!choice.previous.empty() || store::requested_switch(store_, ring_.provider))
            commit([&] {
                choice = store::choose_profile(store_, ring_, rotation_.rules, turn, sys::now_ms());
            });
        if (choice.name.empty()) return choice;
    }
    chosen_ = choice.name;
    key_ = read_key(provider, chosen_, stop);
    return choice;
}

base::TimeMs Keys::cool(std::int64_t retry_after_ms, store::TurnId turn, const Commit& commit) {
    store::ProfileChoice choice;
    commit([&] {
        const base::TimeMs now = sys::now_ms();
        store::cool_profile(store_, chosen_, now + std::max(retry_after_ms, rotation_.cooldown_ms));
        choice = store::choose_profile(store_, ring_, rotation_.rules, turn, now);
    });
    return choice.resume_at;
}

bool Keys::rotates(const model::Provider& provider) {
    return rotation_.rules.is_automatic && ring(provider.name).names.size() > 1;
}

bool Keys::is_cut() {
    if (chosen_.empty()) return false;
    const std::int64_t version = store_.version_by_others();
    return std::exchange(seen_version_, version) != version &&
           store::is_cut(store_, ring(ring_.provider), chosen_);
}

std::string Keys::credential(const model::Provider& provider) {
    constexpr std::size_t digits = 8;
    const store::ProfileRing profiles = ring(provider.name);
    if (profiles.names.empty())
        return provider.name + "/" +
               base::sha256_hex("credential " + environment_.get(provider.key_variable))
                   .substr(0, digits);
    const std::string usable =
        store::profile_choice(store_, profiles, rotation_.rules, sys::now_ms()).name;
    return provider.name + "/profiles" + (usable.empty() ? "" : " " + usable);
}

}  // namespace chorus::place
