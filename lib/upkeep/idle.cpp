#include "upkeep/idle.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "base/text.hpp"
#include "channel/posting.hpp"
#include "context/find_thread.hpp"
#include "context/saved.hpp"
#include "life/find_agent.hpp"
#include "place/in_force.hpp"
#include "place/place.hpp"
#include "store/believed.hpp"
#include "store/messages.hpp"
#include "store/threads.hpp"
#include "store/turns.hpp"
#include "sys/clock.hpp"
#include "sys/lock.hpp"
#include "turn/notice.hpp"

namespace chorus::upkeep {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::size_t most_at_once = 64;
constexpr std::size_t most_writers = 16;

struct Idle {
    store::Agent agent;
    std::int64_t idle_ms = 0;
    std::int64_t newest_message = 0;
};

std::int64_t timeout_of(const agent::Shared& own, const agent::Shared& general,
                        const IdleOptions& options, const sys::Environment& environment) {
    return options.timeout_ms ? *options.timeout_ms
                              : place::idle_timeout_in_force_ms(own, general, environment);
}

std::string notice_text(const store::Agent& agent, const store::Session& session,
                        std::int64_t idle_ms) {
    const bool is_closed =
        !session.summary.empty() && base::is_one_of(session.summary.back(), ".!?");
    return "Session saved: " + session.summary + (is_closed ? "" : ".") +
           " Context cleared after " + base::counted(idle_ms / 60'000, "minute") +
           " of inactivity. Use chorus-context restore " + agent.name + " " +
           context::short_id(session.id) + " to resume.";
}

// An agent that is locked and about to be saved.
struct Ready {
    Idle idle;
    turn::Present present;
    context::SessionAbout about;
    std::optional<sys::Lock> lock;
    store::Session session = {};
    std::optional<Error> problem = {};
};

class IdleSave {
  public:
    IdleSave(store::Store& store, const IdleOptions& options,
             const place::Surroundings& surroundings, const IdleSinks& sinks)
        : store_(store), options_(options), surroundings_(surroundings), sinks_(sinks) {}

    // Returns how many agents failed.
    std::size_t run(const std::vector<std::string>& names) {
        // no agent is locked while a model is asked about another
        const std::size_t most =
            options_.summaries == turn::Summaries::by_rule ? most_at_once : std::size_t{1};
        std::vector<Ready> ready;
        for (const std::string& name : names) {
            prepare(name, ready);
            if (ready.size() >= most) save(std::exchange(ready, {}));
        }
        save(std::move(ready));
        return failures_;
    }

  private:
    // If every agent is meant, one that is destroyed meanwhile is not a failure.
    bool is_gone(const std::string& name) {
        const auto agent = store::find_agent(store_, name);
        return options_.names.empty() && (!agent || agent->status != store::AgentStatus::active);
    }

    void fail(const std::string& name, const Error& error) {
        if (error.code() == ErrorCode::canceled) throw error;
        if (is_gone(name)) return;
        sinks_.failed(name, error);
        ++failures_;
    }

    void prepare(const std::string& name, std::vector<Ready>& ready) {
        try {
            const auto idle = find_idle(name);
            if (!idle) return;
            turn::Present present = turn::present_context(store_, idle->agent, {}, surroundings_);
            if (present.messages.empty()) return;
            place::Surroundings naming = surroundings_;
            naming.warn = [&](const std::string& text) {
                surroundings_.warn("agent '" + name + "': " + text);
            };
            auto about = turn::about_session(store_, present, context::SessionTrigger::idle_timeout,
                                             "", options_.summaries, naming);
            auto lock = sys::Lock::try_acquire(surroundings_.home.agent_lock(idle->agent.id),
                                               sys::Lock::Mode::exclusive);
            if (lock && is_still_idle(*idle))
                ready.push_back({*idle, std::move(present), std::move(about), std::move(lock)});
        } catch (const Error& error) {
            fail(name, error);
        }
    }

    std::optional<Idle> find_idle(const std::string& name) {
        const store::Agent agent = life::require_agent(surroundings_.home, store_, name);
        const base::TimeMs now = sys::now_ms();
        const std::int64_t idle_ms = now - store::believed_activity(store_, agent, now);
        const agent::Directory directory = surroundings_.home.directory(agent.dir);
        const std::int64_t timeout_ms =
            timeout_of(agent::load_configuration(directory).shared,
                       agent::load_home_configuration(surroundings_.home).shared, options_,
                       surroundings_.environment);
        if (timeout_ms == 0 || idle_ms < timeout_ms) return std::nullopt;
        turn::warn_of_clock(agent, surroundings_.warn);
        if (!store::open_turns(store_, agent.id).empty()) return std::nullopt;
        return Idle{agent, idle_ms, store::newest_message_id(store_, agent.id)};
    }

    bool is_still_idle(const Idle& idle) {
        const auto agent = store::find_agent(store_, idle.agent.id);
        return agent && agent->status == store::AgentStatus::active &&
               agent->last_clear_message == idle.agent.last_clear_message &&
               store::newest_message_id(store_, agent->id) == idle.newest_message &&
               store::open_turns(store_, agent->id).empty();
    }

    void save(std::vector<Ready> ready) {
        write_files(ready);
        commit(ready);
        std::vector<std::string> texts;
        for (const Ready& one : ready) {
            if (one.problem) fail(one.idle.agent.name, *one.problem);
            texts.push_back(one.problem ? "" : tell(one));
        }
        // no agent is locked while texts are posted
        for (Ready& one : ready) one.lock.reset();
        for (std::size_t i = 0; i < ready.size(); ++i) {
            const store::Agent& agent = ready[i].idle.agent;
            if (ready[i].problem || agent.channel_id.empty()) continue;
            channel::post_to_channel(
                channel::posting_of(surroundings_, store_, agent, ready[i].present.redaction),
                {texts[i]});
        }
    }

    // Each write waits for the disk; in parallel they wait only once.
    void write_files(std::vector<Ready>& ready) const {
        std::atomic<std::size_t> next = 0;
        const auto work = [&] {
            for (std::size_t i = next++; i < ready.size(); i = next++) write_file(ready[i]);
        };
        std::vector<std::jthread> others;
        for (std::size_t i = 1; i < std::min(ready.size(), most_writers); ++i)
            others.emplace_back(work);
        work();
    }

    void write_file(Ready& one) const {
        try {
            one.session =
                context::write_session(surroundings_.home, one.idle.agent, one.present.messages,
                                       one.about, one.present.redaction);
        } catch (const Error& error) {
            one.problem = error;
        }
    }

    void commit(std::vector<Ready>& ready) {
        if (ready.empty()) return;
        try {
            store::Transaction transaction(store_);
            for (const Ready& one : ready) {
                if (one.problem) continue;
                store::insert_session(store_, one.session);
                store::advance_clear(store_, one.idle.agent.id, one.session.window_end,
                                     one.idle.newest_message);
                store::clear_summaries(store_, one.idle.agent.id);
            }
            transaction.commit();
        } catch (const Error& error) {
            for (Ready& one : ready)
                if (!one.problem) one.problem = error;
        }
    }

    std::string tell(const Ready& one) {
        const store::Agent& agent = one.idle.agent;
        const std::string text = notice_text(agent, one.session, one.idle.idle_ms);
        const agent::Directory directory = surroundings_.home.directory(agent.dir);
        std::int64_t thread = 1;
        try {
            thread = context::require_thread(store_, agent, directory, "").id;
        } catch (const Error& error) {
            surroundings_.warn(error.message());
        }
        turn::tell_people(store_, surroundings_.home, agent,
                          {.heading = "Session saved",
                           .text = text,
                           .threads = {{thread, 0}},
                           .said_until = one.idle.newest_message},
                          one.present.redaction, surroundings_.warn);
        sinks_.saved({agent, one.session, one.idle.idle_ms, text});
        return text;
    }

    store::Store& store_;
    const IdleOptions& options_;
    const place::Surroundings& surroundings_;
    const IdleSinks& sinks_;
    std::size_t failures_ = 0;
};

}  // namespace

std::size_t save_idle(store::Store& store, const IdleOptions& options,
                      const place::Surroundings& surroundings, const IdleSinks& sinks) {
    std::vector<std::string> names = options.names;
    if (names.empty())
        for (const store::Agent& agent : store::agents_with_context(store))
            names.push_back(agent.name);
    return IdleSave(store, options, surroundings, sinks).run(names);
}

}  // namespace chorus::upkeep
