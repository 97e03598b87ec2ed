#include "store/profiles.hpp"

#include <algorithm>

#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

constexpr std::int64_t hour_ms = 3'600'000;
constexpr std::int64_t switches_kept_ms = 30 * 24 * hour_ms;

// The ring as it is in the database.
struct LoadedRing {
    std::size_t active = 0;
    std::vector<base::TimeMs> cools_until;  // 0: it is not rate-limited
};

LoadedRing load_ring(Store& store, const ProfileRing& ring, base::TimeMs now) {
    LoadedRing loaded;
    const std::string active =
        query_text(store, "SELECT name FROM active_profiles WHERE provider = ?", ring.provider);
    for (std::size_t at = 0; at < ring.names.size(); ++at) {
        if (ring.names[at] == active) loaded.active = at;
        const base::TimeMs until = query_integer(
            store, "SELECT until FROM cooling_profiles WHERE name = ?", ring.names[at]);
        loaded.cools_until.push_back(until > now ? until : 0);
    }
    return loaded;
}

// The next profile after the active one that is not rate-limited, else the one that is first to be
// used again; the active one if it is alone.
std::size_t next_in_turn(const LoadedRing& ring) {
    const std::size_t count = ring.cools_until.size();
    std::size_t next = (ring.active + 1) % count;
    for (std::size_t step = 2; step < count; ++step) {
        const std::size_t at = (ring.active + step) % count;
        if (ring.cools_until[at] < ring.cools_until[next]) next = at;
    }
    return next;
}

// Returns 0 if another switch is allowed now, else the time from which it is.
base::TimeMs next_switch_at(Store& store, const std::string& provider, const RotationRules& rules,
                            base::TimeMs now) {
    if (rules.most_per_hour <= 0) return now + hour_ms;
    const base::TimeMs oldest = query_integer(
        store,
        "SELECT at FROM profile_switches WHERE provider = ? AND cause = 'rate_limited' AND at > ? "
        "ORDER BY at DESC LIMIT 1 OFFSET ?",
        provider, now - hour_ms, rules.most_per_hour - 1);
    return oldest == 0 ? 0 : oldest + hour_ms;
}

// Says which profile the next request is sent with, and what has to be written before it.
struct Choosing {
    ProfileChoice choice;
    std::size_t from = 0;
    std::size_t to = 0;
    std::string cause = "rate_limited";
    bool was_requested = false;
};

Choosing decide(Store& store, const ProfileRing& ring, const RotationRules& rules,
                base::TimeMs now) {
    if (ring.names.empty()) return {};
    LoadedRing loaded = load_ring(store, ring, now);
    Choosing choosing;
    choosing.from = loaded.active;
    if (const auto wanted = requested_switch(store, ring.provider)) {
        const auto found = std::find(ring.names.begin(), ring.names.end(), wanted->name);
        choosing.was_requested = found != ring.names.end();
        if (choosing.was_requested) {
            choosing.cause = wanted->is_forced ? "forced" : "requested";
            loaded.active = static_cast<std::size_t>(found - ring.names.begin());
        }
    }
    choosing.to = loaded.active;
    const base::TimeMs own = loaded.cools_until[loaded.active];
    if (own != 0) {
        const std::size_t next = next_in_turn(loaded);
        base::TimeMs possible = own;
        if (rules.is_automatic && next != loaded.active)
            possible = std::max(loaded.cools_until[next],
                                next_switch_at(store, ring.provider, rules, now));
        if (possible == 0)
            choosing.to = next;
        else
            choosing.choice.resume_at = std::min(own, possible);
    }
    if (choosing.choice.resume_at == 0) choosing.choice.name = ring.names[choosing.to];
    if (choosing.to != choosing.from) choosing.choice.previous = ring.names[choosing.from];
    return choosing;
}

void make_active(Store& store, const ProfileRing& ring, std::size_t from, std::size_t to,
                 std::string_view cause, TurnId turn, base::TimeMs now) {
    run(store, "INSERT OR REPLACE INTO active_profiles (provider, name) VALUES (?, ?)",
        ring.provider, ring.names[to]);
    run(store,
        "INSERT INTO profile_switches (provider, at, previous, next, cause, turn_id) VALUES (?, ?, "
        "?, ?, ?, ?)",
        ring.provider, now, ring.names[from], ring.names[to], cause, or_null(turn));
    run(store, "DELETE FROM profile_switches WHERE provider = ? AND at < ?", ring.provider,
        now - switches_kept_ms);
}

void drop_request(Store& store, const std::string& provider) {
    run(store, "DELETE FROM requested_switches WHERE provider = ?", provider);
}

}  // namespace

std::string active_profile(Store& store, const ProfileRing& ring) {
    return ring.names.empty() ? "" : ring.names[load_ring(store, ring, 0).active];
}

std::vector<ProfileState> profile_states(Store& store, const ProfileRing& ring, base::TimeMs now) {
    const LoadedRing loaded = load_ring(store, ring, now);
    std::vector<ProfileState> states;
    for (std::size_t at = 0; at < ring.names.size(); ++at)
        states.push_back({ring.names[at], at == loaded.active, loaded.cools_until[at]});
    return states;
}

ProfileChoice profile_choice(Store& store, const ProfileRing& ring, const RotationRules& rules,
                             base::TimeMs now) {
    return decide(store, ring, rules, now).choice;
}

ProfileChoice choose_profile(Store& store, const ProfileRing& ring, const RotationRules& rules,
                             TurnId turn, base::TimeMs now) {
    const Choosing choosing = decide(store, ring, rules, now);
    if (choosing.was_requested) drop_request(store, ring.provider);
    if (choosing.to != choosing.from)
        make_active(store, ring, choosing.from, choosing.to, choosing.cause, turn, now);
    return choosing.choice;
}

void cool_profile(Store& store, const std::string& name, base::TimeMs until) {
    run(store,
        "INSERT INTO cooling_profiles (name, until) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET "
        "until = max(until, excluded.until)",
        name, until);
}

std::optional<RequestedSwitch> requested_switch(Store& store, const std::string& provider) {
    Statement row = statement(
        store, "SELECT name, is_forced, at, actor FROM requested_switches WHERE provider = ?");
    if (!row.bind(provider).step()) return std::nullopt;
    return RequestedSwitch{row.text(0), row.integer(1) != 0, row.integer(2), row.text(3)};
}

void request_switch(Store& store, const std::string& provider, const RequestedSwitch& wanted) {
    run(store,
        "INSERT OR REPLACE INTO requested_switches (provider, name, is_forced, at, actor) VALUES "
        "(?, ?, ?, ?, ?)",
        provider, wanted.name, wanted.is_forced, wanted.at, wanted.actor);
}

void activate_profile(Store& store, const ProfileRing& ring, const std::string& name,
                      base::TimeMs now) {
    drop_request(store, ring.provider);
    const LoadedRing loaded = load_ring(store, ring, now);
    const auto found = std::find(ring.names.begin(), ring.names.end(), name);
    const auto to = static_cast<std::size_t>(found - ring.names.begin());
    if (found == ring.names.end() || to == loaded.active) return;
    make_active(store, ring, loaded.active, to, "requested", 0, now);
}

bool is_cut(Store& store, const ProfileRing& ring, const std::string& used) {
    const auto is_other = [&](const std::string& name) {
        return name != used &&
               std::find(ring.names.begin(), ring.names.end(), name) != ring.names.end();
    };
    if (const auto wanted = requested_switch(store, ring.provider))
        return wanted->is_forced && is_other(wanted->name);
    return is_other(query_text(store, "SELECT name FROM active_profiles WHERE provider = ?",
                               ring.provider)) &&
           query_text(store,
                      "SELECT cause FROM profile_switches WHERE provider = ? ORDER BY id DESC "
                      "LIMIT 1",
                      ring.provider) == "forced";
}

void end_cooldown(Store& store, const std::string& name) {
    run(store, "DELETE FROM cooling_profiles WHERE name = ?", name);
}

void forget_profile(Store& store, const std::string& provider, const std::string& name) {
    run(store, "DELETE FROM active_profiles WHERE provider = ? AND name = ?", provider, name);
    run(store, "DELETE FROM requested_switches WHERE provider = ? AND name = ?", provider, name);
    end_cooldown(store, name);
}

}  // namespace chorus::store
