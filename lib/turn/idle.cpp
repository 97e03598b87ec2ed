#include "turn/idle.hpp"

#include "context/clear.hpp"
#include "context/saved.hpp"
#include "life/agents.hpp"
#include "store/messages.hpp"
#include "store/turns.hpp"
#include "sys/clock.hpp"
#include "sys/lock.hpp"
#include "turn/notice.hpp"
#include "turn/place.hpp"

namespace chorus::turn {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::int64_t default_timeout_ms = 1'800'000;

struct Idle {
    store::Agent agent;
    std::int64_t idle_ms = 0;
    std::int64_t newest_message = 0;
};

std::int64_t timeout_of(const agent::Shared& own, const agent::Shared& general,
                        const IdleOptions& options, const sys::Environment& environment) {
    if (options.timeout_ms) return *options.timeout_ms;
    if (const auto given = environment.find_ms("CHORUS_IDLE_TIMEOUT_MS")) return *given;
    return own.idle_timeout_ms.value_or(general.idle_timeout_ms.value_or(default_timeout_ms));
}

std::string minutes(std::int64_t ms) {
    const std::int64_t count = ms / 60'000;
    return std::to_string(count) + (count == 1 ? " minute" : " minutes");
}

std::string notice_text(const store::Agent& agent, const store::Session& session,
                        std::int64_t idle_ms) {
    const bool is_closed =
        !session.summary.empty() &&
        std::string_view(".!?").find(session.summary.back()) != std::string::npos;
    return "Session saved: " + session.summary + (is_closed ? "" : ".") +
           " Context cleared after " + minutes(idle_ms) +
           " of inactivity. Use chorus-context restore " + agent.name + " " +
           context::short_id(session.id) + " to resume.";
}

class IdleSave {
  public:
    IdleSave(store::Store& store, const IdleOptions& options, const Surroundings& surroundings,
             const IdleSinks& sinks)
        : store_(store), options_(options), surroundings_(surroundings), sinks_(sinks) {}

    // Whether nothing went wrong.
    bool one(const std::string& name) {
        try {
            if (const auto idle = find_idle(name)) save(*idle);
            return true;
        } catch (const Error& error) {
            if (error.code() == ErrorCode::canceled) throw;
            sinks_.failed(name, error);
            return false;
        }
    }

  private:
    std::optional<Idle> find_idle(const std::string& name) {
        const store::Agent agent = life::require_agent(surroundings_.home, store_, name);
        const std::int64_t idle_ms = sys::now_ms() - agent.last_activity;
        const agent::Directory directory(surroundings_.home.path() + "/" + agent.dir);
        const std::int64_t timeout_ms =
            timeout_of(agent::load_configuration(directory).shared,
                       agent::load_home_configuration(surroundings_.home).shared, options_,
                       surroundings_.environment);
        if (timeout_ms == 0 || idle_ms < timeout_ms) return std::nullopt;
        if (!store::open_turns(store_, agent.id).empty()) return std::nullopt;
        return Idle{agent, idle_ms, store::newest_message_id(store_, agent.id)};
    }

    void save(const Idle& idle) {
        const Present present = present_context(store_, idle.agent, {}, surroundings_);
        if (present.messages.empty()) return;
        const auto about = about_session(present, context::SessionTrigger::idle_timeout, "",
                                         options_.summaries, surroundings_);
        const auto lock = sys::Lock::try_acquire(surroundings_.home.agent_lock(idle.agent.id),
                                                 sys::Lock::Mode::exclusive);
        if (!lock || !is_still_idle(idle)) return;
        const auto cleared = context::clear_context(store_, surroundings_.home, idle.agent,
                                                    present.after_time, about, present.redaction);
        if (cleared.saved) tell(idle, *cleared.saved, present);
    }

    bool is_still_idle(const Idle& idle) {
        const auto agent = store::find_agent(store_, idle.agent.id);
        return agent && agent->status == store::AgentStatus::active &&
               agent->last_clear_message == idle.agent.last_clear_message &&
               store::newest_message_id(store_, agent->id) == idle.newest_message &&
               store::open_turns(store_, agent->id).empty();
    }

    void tell(const Idle& idle, const store::Session& session, const Present& present) {
        const std::string text = notice_text(idle.agent, session, idle.idle_ms);
        const agent::Directory directory(surroundings_.home.path() + "/" + idle.agent.dir);
        const store::Thread thread = choose_thread(store_, idle.agent, directory, "");
        tell_people(store_, surroundings_.home, idle.agent,
                    {.heading = "Session saved",
                     .text = text,
                     .threads = {{thread.id, 0}},
                     .said_until = idle.newest_message},
                    present.redaction, surroundings_.warn);
        sinks_.saved({idle.agent, session, idle.idle_ms, text});
    }

    store::Store& store_;
    const IdleOptions& options_;
    const Surroundings& surroundings_;
    const IdleSinks& sinks_;
};

}  // namespace

std::size_t save_idle(store::Store& store, const IdleOptions& options,
                      const Surroundings& surroundings, const IdleSinks& sinks) {
    std::vector<std::string> names = options.names;
    if (names.empty())
        for (const store::Agent& agent : store::agents_with_context(store))
            names.push_back(agent.name);
    IdleSave idle_save(store, options, surroundings, sinks);
    std::size_t failures = 0;
    for (const std::string& name : names) failures += idle_save.one(name) ? 0 : 1;
    return failures;
}

}  // namespace chorus::turn
