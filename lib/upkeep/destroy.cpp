#include "upkeep/destroy.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "channel/audit_sink.hpp"
#include "channel/posting.hpp"
#include "chat/event.hpp"
#include "context/export.hpp"
#include "context/find_thread.hpp"
#include "context/forgetting.hpp"
#include "context/import.hpp"
#include "context/saved.hpp"
#include "life/adoption.hpp"
#include "life/leftovers.hpp"
#include "life/reserve.hpp"
#include "place/agent_tasks.hpp"
#include "place/in_force.hpp"
#include "place/shutdown.hpp"
#include "repo/repository.hpp"
#include "store/messages.hpp"
#include "store/prompts.hpp"
#include "store/records.hpp"
#include "store/turns.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/git_place.hpp"
#include "sys/lock.hpp"
#include "turn/alerts.hpp"
#include "turn/hand_back.hpp"
#include "turn/notice.hpp"
#include "turn/present.hpp"
#include "turn/recovery.hpp"
#include "turn/remains.hpp"
#include "upkeep/stopping.hpp"

namespace chorus::upkeep {
namespace {

using base::Error;
using base::ErrorCode;
using life::Files;
using store::AgentStatus;

constexpr std::int64_t margin_ms = 2'000;          // for a turn to record its end
constexpr std::int64_t lock_patience_ms = 30'000;  // other commands release it by themselves

constexpr const char* again = "run the command again to finish";

class Destruction {
  public:
    Destruction(store::Store& store, const store::Agent& agent, Files files,
                const place::Surroundings& surroundings)
        : store_(store),
          agent_(agent),
          files_(files),
          surroundings_(surroundings),
          directory_(surroundings.home.directory(agent.dir)),
          timeouts_(place::shutdown_timeouts(surroundings.environment)) {}

    Destroyed run() {
        const sys::Lock alone = wait_for_others();
        if (agent_.status == AgentStatus::destroyed) return {.agent = agent_, .by_another = true};
        life::check_removable(surroundings_.home, agent_, files_);
        if (files_ == Files::kept && !sys::exists(directory_.path())) {
            surroundings_.warn("there is no directory to keep");
            files_ = Files::archived;
        }
        // an interrupted run may have left the session's file without its row
        const bool goes_on = agent_.status == AgentStatus::destroying;
        family_ = life::family_of(store_, agent_);
        with_room([&] { life::begin_destroying(store_, family_, files_, {actor()}); });
        if (locks_.empty()) take_locks();
        with_room([&] { end_tasks(); });
        for (const std::string& place : store::working_directories(store_))
            sys::remove_mount_points(place);
        with_room([&] { remove_remains(); });
        end_conversation(goes_on);
        tell();
        if (files_ == Files::kept && !is_sub_agent()) complete_directory();
        remove();
        return std::move(done_);
    }

  private:
    const agent::Home& home() const { return surroundings_.home; }
    // It works in the workspace of the agent above it, and has no sessions that are kept.
    bool is_sub_agent() const { return directory_.is_of_sub_agent(); }
    std::string actor() const { return place::actor_text("", surroundings_.environment); }

    bool is_interrupted() const { return surroundings_.interrupt.requested(); }
    void check_interrupt(const char* hint = "") const {
        if (is_interrupted()) throw Error(ErrorCode::canceled, "interrupted", hint);
    }

    // Waits for another process that destroys the agent, then reads the row again.
    sys::Lock wait_for_others() {
        const std::string path = home().destroy_lock(agent_.id);
        auto lock = sys::Lock::try_acquire(path, sys::Lock::Mode::exclusive);
        if (!lock) {
            surroundings_.warn("another process is destroying it; waiting for it");
            lock = sys::Lock::acquire(path, sys::Lock::Mode::exclusive, -1,
                                      [this] { return is_interrupted(); });
        }
        check_interrupt();
        if (!lock) throw Error(ErrorCode::agent_busy, "another process is destroying it");
        agent_ = store::find_agent(store_, agent_.id).value_or(agent_);
        return std::move(*lock);
    }

    void take_locks() {
        std::vector<store::AgentId> ids;
        for (const store::Agent& member : family_) ids.push_back(member.id);
        for (const store::AgentId id : ids)
            for (const store::Turn& turn : store::open_turns(store_, id)) ended_.insert(turn.id);
        Stopping stopping(store_, ids, timeouts_.drain_ms + timeouts_.grace_ms + margin_ms);
        const std::int64_t until_ms = sys::monotonic_ms() + timeouts_.drain_ms +
                                      timeouts_.grace_ms + margin_ms + lock_patience_ms;
        for (const store::AgentId id : ids) {
            auto lock =
                sys::Lock::acquire(home().agent_lock(id), sys::Lock::Mode::exclusive,
                                   std::max<std::int64_t>(until_ms - sys::monotonic_ms(), 0), [&] {
                                       stopping.look();
                                       return is_interrupted();
                                   });
            check_interrupt("the agent accepts no more turns; run the command again to finish");
            if (!lock)
                throw Error(ErrorCode::agent_busy,
                            "agent '" + agent_.name + "': it is locked by another command", again);
            locks_.push_back(std::move(*lock));
        }
        stopping.finish();
    }

    void end_tasks() {
        for (const store::Agent& member : family_) {
            const task::Site site = place::task_site(store_, home(), member);
            const auto running = task::settle(site);
            if (running.empty()) continue;
            for (const store::Task& task : task::end(site, running, timeouts_.grace_ms))
                if (task.ended_at == 0)
                    throw Error(ErrorCode::failed, task.id + ": it cannot be ended", again);
            done_.tasks += running.size();
            task::mirror(site);
        }
    }

    // On a full disk, first removes what will be removed anyway, once no process uses it, to make
    // room for what stays.
    template <typename Step>
    std::invoke_result_t<Step> with_room(Step step) {
        try {
            return step();
        } catch (const Error& error) {
            if (error.cause() != base::Cause::full_disk) throw;
        }
        if (locks_.empty()) take_locks();
        make_room();
        return step();
    }

    void make_room() const {
        life::give_up_reserve(home());
        if (!rest_.empty()) sys::try_remove_tree(rest_);
        sys::try_remove_tree(directory_.commands());
        sys::try_remove_tree(directory_.checkpoints());
        if (files_ == Files::kept) return;
        for (const std::string& path : {is_sub_agent() ? directory_.work() : directory_.workspace(),
                                        directory_.artifacts(), directory_.docs()})
            sys::try_remove_tree(path);
    }

    // An invalid agent.json does not prevent destroying the agent: everything since the last clear
    // is then saved.
    [[gnu::noinline]] std::unique_ptr<turn::Present> found_present() const {
        try {
            return std::make_unique<turn::Present>(
                turn::present_context(store_, agent_, {}, surroundings_));
        } catch (const Error& error) {
            surroundings_.warn(error.message());
            auto present = std::make_unique<turn::Present>();
            present->settings.model = agent_.model;
            present->messages = context::agent_messages(store_, agent_, 0);
            return present;
        }
    }

    // Not on the stack, which may be as small as 64 KiB: all of run() would have it.
    void end_conversation(bool goes_on) {
        if (is_sub_agent()) return with_room([&] { record_end({}); });
        context::forget_leftovers(home(), store_, agent_, [this](auto thread) {
            turn::alert_of_killed(surroundings_, store_, redaction_, agent_, thread);
        });
        const std::unique_ptr<turn::Present> found = found_present();
        turn::Present& present = *found;
        redaction_ = present.redaction;
        const bool saves = files_ != Files::purged && !present.messages.empty();
        if (saves && goes_on) done_.session = find_saved(present.messages);
        if (saves && !done_.session) done_.session = save(present);
        with_room([&] { record_end(present.messages); });
    }

    void record_end(const std::vector<context::SessionMessage>& messages) {
        done_.prompts = done_.messages = 0;
        store::Transaction transaction(store_);
        if (done_.session && store::find_sessions(store_, agent_.id, done_.session->id).empty())
            store::insert_session(store_, *done_.session);
        // a kept agent keeps its window
        if (!messages.empty() && files_ != Files::kept)
            store::advance_clear(store_, agent_.id, sys::now_ms(),
                                 store::newest_message_id(store_, agent_.id));
        for (const store::Agent& member : family_) end_what_waits(member);
        done_.turns = static_cast<decltype(done_.turns)>(ended_.size());
        transaction.commit();
    }

    store::Session write(const turn::Present& present) const {
        return context::write_session(home(), agent_, present.messages,
                                      {.trigger = context::SessionTrigger::destroy,
                                       .model = present.settings.model,
                                       .description = context::topic(present.messages)},
                                      present.redaction);
    }

    store::Session save(const turn::Present& present) {
        try {
            return with_room([&] { return write(present); });
        } catch (const Error& error) {
            throw Error(error.code(), "the session cannot be saved: " + error.message(),
                        "--purge destroys it without saving", error.cause());
        }
    }

    // Returns the same session if a killed run has written it.
    std::optional<store::Session> find_saved(
        const std::vector<context::SessionMessage>& messages) const {
        if (!sys::is_directory(directory_.sessions())) return std::nullopt;
        base::TimeMs newest = 0;
        for (const auto& each : messages) newest = std::max(newest, each.message.timestamp);
        for (store::Session& row : life::read_sessions(agent_, directory_))
            if (row.trigger == context::name(context::SessionTrigger::destroy) &&
                row.message_count == static_cast<std::int64_t>(messages.size()) &&
                row.window_end == newest)
                return std::move(row);
        return std::nullopt;
    }

    // A workspace may outlive the agent.
    void remove_remains() {
        for (const store::Agent& member : family_)
            for (const store::Turn& turn : store::open_turns(store_, member.id))
                turn::remove_remains(surroundings_, store_, redaction_, member, turn);
    }

    void end_what_waits(const store::Agent& member) {
        const base::TimeMs now = sys::now_ms();
        done_.prompts += store::cancel_pending_prompts(store_, member.id, now);
        for (store::Turn& turn : store::open_turns(store_, member.id)) {
            store::cancel_prompts(store_, turn.id, now);
            turn::write_exit(store_, turn, "destroyed");
            ended_.insert(turn.id);
        }
        done_.messages += store::drop_undelivered(store_, member.id);
        while (
            store::take_from_outbox(store_, member.id, std::numeric_limits<std::int64_t>::max())) {
        }
    }

    std::string told() const {
        std::string text = "Agent " + agent_.name + " was destroyed.";
        if (done_.session)
            text += " Its last context is in session " + context::short_id(done_.session->id) +
                    ": " + done_.session->description + ".";
        return text;
    }

    // Called while the configuration with the channel still exists.
    void tell() const {
        if (is_sub_agent()) return;
        if (files_ == Files::kept && sys::exists(directory_.configuration()))
            turn::tell_people(store_, home(), agent_,
                              {.heading = "Destroyed",
                               .text = told(),
                               .threads = {{1, 0}},
                               .said_until = store::newest_message_id(store_, agent_.id)},
                              redaction_, surroundings_.warn);
        if (agent_.channel_id.empty() || !sys::exists(directory_.configuration())) return;
        channel::post_to_channel(channel::posting_of(surroundings_, store_, agent_, redaction_),
                                 {told()});
    }

    // Removes what killed processes left, and writes what only the database has into the directory.
    void complete_directory() const {
        sys::remove_temporaries(directory_.path());
        if (sys::is_directory(directory_.workspace())) {
            const std::string workspace = sys::real_path(directory_.workspace());
            sys::remove_mount_points(workspace);
            repo::clear_broken_mutation(workspace);
        }
        const auto now = store::find_agent(store_, agent_.id).value_or(agent_);
        context::ExportRecord record = context::load_record(store_, now, {});
        record.current_branch = agent::current_branch(directory_);
        context::add_attachments(record, store_);
        sys::write_file(directory_.path() + "/" + std::string(context::packed_name),
                        context::to_jsonl(record, sys::now_ms()));
    }

    void remove() {
        if (!is_sub_agent()) with_room([&] { life::place_sessions(home(), agent_, files_); });
        if (files_ != Files::kept) rest_ = life::take_away(home(), agent_);
        done_.sessions =
            with_room([&] { return life::finish_destroying(home(), store_, family_, files_); });
        done_.agent = store::find_agent(store_, agent_.id).value_or(agent_);
        channel::deliver_audit(store_, {audit_sink(), home().audit_lock()}, surroundings_.warn);
        // left by a run that was killed after it had taken the directory away
        if (life::has_remains(home(), agent_.name)) life::reclaim_leftovers(home(), store_);
        if (rest_.empty()) return;
        try {
            sys::remove_tree(rest_);
        } catch (const Error& error) {
            throw Error(ErrorCode::failed,
                        "agent '" + agent_.name +
                            "' is destroyed, but some of its files remain: " + error.message(),
                        "chorus-config doctor --fix tries again");
        }
    }

    std::string audit_sink() const {
        try {
            return agent::load_home_configuration(home()).audit_sink;
        } catch (const Error&) {
            return {};  // errors in config.json are reported elsewhere
        }
    }

    store::Store& store_;
    store::Agent agent_;
    Files files_;
    const place::Surroundings& surroundings_;
    agent::Directory directory_;
    place::ShutdownTimeouts timeouts_;
    std::vector<store::Agent> family_ = {};
    std::vector<sys::Lock> locks_ = {};
    std::set<store::TurnId> ended_ = {};
    std::string rest_ = {};  // the directory after it was taken away
    policy::Redaction redaction_ = policy::Redaction();
    Destroyed done_ = {};
};

bool is_idle(store::Store& store, const store::Agent& agent, base::TimeMs until) {
    const auto family = life::family_of(store, agent);
    return std::all_of(family.begin(), family.end(), [&](const store::Agent& member) {
        return member.last_activity <= until && store::open_turns(store, member.id).empty() &&
               store::running_tasks(store, member.id).empty();
    });
}

// Returns what a sub-agent, or one below it, did in its clone and could not hand back, or "".
std::string not_handed_back(const agent::Home& home, store::Store& store,
                            const store::Agent& sub_agent) {
    for (const store::Agent& member : life::family_of(store, sub_agent)) {
        const agent::Directory directory = home.directory(member.dir);
        if (!directory.is_isolated() || !sys::is_directory(directory.work())) continue;
        const auto turn = store::newest_turn(store, member.id, 1);
        if (turn && !turn->result.empty())
            if (auto problem = chat::parse_result(turn->result).work.problem; !problem.empty())
                return problem;
        if (auto changes = turn::uncommitted_in(directory.work()); !changes.empty())
            return "not committed: " + changes;
    }
    return {};
}

void add_idle(const agent::Home& home, store::Store& store, const store::Agent& above,
              base::TimeMs until, IdleSubAgents& idle) {
    for (const store::Agent& child : store::list_children(store, above.id)) {
        // one whose destruction was interrupted is finished
        const bool is_half_destroyed = child.status == AgentStatus::destroying;
        if (!is_half_destroyed &&
            (child.status != AgentStatus::active || !is_idle(store, child, until))) {
            add_idle(home, store, child, until, idle);
            continue;
        }
        std::string work = is_half_destroyed ? "" : not_handed_back(home, store, child);
        if (work.empty())
            idle.agents.push_back(child);
        else
            idle.kept.push_back({child.name, std::move(work)});
    }
}

}  // namespace

IdleSubAgents idle_sub_agents(const agent::Home& home, store::Store& store,
                              const store::Agent& agent, base::TimeMs until) {
    IdleSubAgents idle;
    add_idle(home, store, agent, until, idle);
    return idle;
}

Destroyed destroy(store::Store& store, const store::Agent& agent, Files files,
                  const place::Surroundings& surroundings) {
    return std::make_unique<Destruction>(store, agent, files, surroundings)->run();
}

}  // namespace chorus::upkeep
