#include "store/believed.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "store/known.hpp"
#include "store/messages.hpp"
#include "store/sqlite.hpp"
#include "sys/clock.hpp"

namespace chorus::store {
namespace {

struct Dispute {
    base::TimeMs newest = 0;
    std::int64_t first_message = 0;
    base::TimeMs since = 0;
};

struct Clock {
    base::TimeMs newest = 0;
    std::vector<Dispute> believed = {};  // disputes whose time is believed now
};

std::optional<Clock> clock_of(Store& store, AgentId agent, base::TimeMs now) {
    Statement statement = store.prepare(
        "SELECT agent.newest_timestamp, dispute.newest, dispute.first_message, dispute.since FROM "
        "agents AS agent LEFT JOIN clock_disputes AS dispute ON dispute.agent_id = agent.id WHERE "
        "agent.id = ?");
    if (!statement.bind(agent).step()) return std::nullopt;
    Clock clock{statement.integer(0)};
    if (statement.is_null(1)) return clock;
    do {
        const Dispute dispute{statement.integer(1), statement.integer(2), statement.integer(3)};
        if (is_believed(dispute.newest, now)) clock.believed.push_back(dispute);
    } while (statement.step());
    return clock;
}

// Returns whether the disputed time was right, that is, whether the clock had been set back. If the
// clock reached the disputed time in steps, over more than a day, the clock was right and the
// disputed time was wrong.
bool went_back(const Clock& clock, const Dispute& dispute, base::TimeMs now) {
    return !is_believed(now, clock.newest) || is_believed(clock.newest, dispute.since);
}

std::vector<Dispute> times_gone_back(Store& store, AgentId agent, base::TimeMs now) {
    Clock clock = clock_of(store, agent, now).value_or(Clock{});
    std::erase_if(clock.believed,
                  [&](const Dispute& dispute) { return !went_back(clock, dispute, now); });
    return std::move(clock.believed);
}

void begin_dispute(Store& store, AgentId agent, const Dispute& dispute) {
    run(store,
        "INSERT OR REPLACE INTO clock_disputes (agent_id, newest, first_message, since) VALUES (?, "
        "?, ?, ?)",
        agent, dispute.newest, dispute.first_message, dispute.since);
}

void end_dispute(Store& store, AgentId agent, const Dispute& dispute) {
    run(store, "DELETE FROM clock_disputes WHERE agent_id = ? AND first_message = ?", agent,
        dispute.first_message);
}

void raise_timestamps(Store& store, AgentId agent, const Dispute& dispute) {
    run(store,
        "UPDATE messages SET timestamp = ?3 WHERE +agent_id = ?1 AND id >= ?2 AND timestamp < ?3",
        agent, dispute.first_message, dispute.newest);
}

// Returns the newest time that counts; new timestamps start from it.
base::TimeMs settle(Store& store, AgentId agent, const Clock& clock, base::TimeMs now) {
    if (!is_believed(clock.newest, now)) {
        begin_dispute(store, agent, {clock.newest, newest_message_id(store, agent) + 1, now});
        return 0;
    }
    base::TimeMs newest = clock.newest;
    for (const Dispute& dispute : clock.believed) {
        if (went_back(clock, dispute, now)) {
            raise_timestamps(store, agent, dispute);
            newest = std::max(newest, dispute.newest);
        }
        end_dispute(store, agent, dispute);
    }
    return newest;
}

}  // namespace

base::TimeMs advance_timestamp(Store& store, AgentId agent, base::TimeMs wanted) {
    const base::TimeMs now = sys::now_ms();
    const auto clock = clock_of(store, agent, now);
    if (!clock)
        throw base::Error(base::ErrorCode::not_found,
                          "database: no agent " + std::to_string(agent));
    const base::TimeMs newest = std::max(settle(store, agent, *clock, now), wanted);
    run(store,
        "UPDATE agents SET newest_timestamp = ?1, last_activity = max(iif(last_activity > ?3, 0, "
        "last_activity), ?1) WHERE id = ?2",
        newest, agent, now + most_ahead_ms);
    return newest;
}

base::TimeMs newest_timestamp(Store& store, AgentId agent) {
    const base::TimeMs now = sys::now_ms();
    const auto clock = clock_of(store, agent, now);
    return clock && is_believed(clock->newest, now) ? clock->newest : 0;
}

std::int64_t first_too_early(Store& store, AgentId agent) {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const Dispute& dispute : times_gone_back(store, agent, sys::now_ms()))
        first = std::min(first, dispute.first_message);
    return first;
}

base::TimeMs believed_activity(Store& store, const Agent& agent, base::TimeMs now) {
    if (is_believed(agent.last_activity, now)) {
        base::TimeMs activity = agent.last_activity;
        for (const Dispute& dispute : times_gone_back(store, agent.id, now))
            activity = std::max(activity, dispute.newest);
        return activity;
    }
    Statement statement = store.prepare("SELECT max(timestamp)" + known_messages() +
                                        "agent_id = ? AND timestamp <= ?");
    statement.bind(agent.id, now).step();
    return std::max(statement.integer(0), agent.created_at <= now ? agent.created_at : 0);
}

}  // namespace chorus::store
