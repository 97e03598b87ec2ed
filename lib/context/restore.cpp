#include "context/restore.hpp"

#include "base/error.hpp"
#include "chat/commands.hpp"
#include "context/saved.hpp"
#include "context/window.hpp"
#include "store/believed.hpp"
#include "store/imports.hpp"
#include "store/messages.hpp"
#include "store/parts.hpp"
#include "store/prompts.hpp"
#include "store/threads.hpp"
#include "store/turns.hpp"
#include "sys/clock.hpp"

namespace chorus::context {
namespace {

using base::Error;
using base::ErrorCode;

CallIds ids_in(const std::vector<SessionMessage>& messages) {
    CallIds ids;
    for (const SessionMessage& each : messages)
        for (const chat::ToolCall& call : each.message.tool_calls) ids[each.thread].insert(call.id);
    return ids;
}

// Returns how many messages of the present context are copies from that session.
std::size_t copies_in(store::Store& store, const store::Agent& agent,
                      const std::vector<SessionMessage>& present, const std::string& session) {
    std::map<store::ThreadId, std::int64_t> first;
    for (const SessionMessage& each : present) first.try_emplace(each.thread, each.message.id);
    std::size_t copies = 0;
    for (const auto& [thread, id] : first)
        copies += store::restored_messages(store, agent.id, thread, id, session).size();
    return copies;
}

// Inserts a thread that the session has and the agent does not.
void require_thread(store::Store& store, const store::Agent& agent, store::ThreadId id) {
    if (store::find_thread(store, agent.id, id)) return;
    store::Thread thread;
    thread.agent_id = agent.id;
    thread.id = id;
    thread.branch = "main";
    thread.parent_thread = 1;
    thread.created_at = thread.last_activity = sys::now_ms();
    store::insert_imported_thread(store, thread);
}

struct Copies {
    store::Store& store;
    store::Parts& parts;
    const store::Agent& agent;
    const std::string& session;
    bool begins_window = true;  // else the hash of the messages before them is not known
};

// Inserts in parts that readers do not see; the last part is left open, and committing it makes the
// copies visible. Returns the id of the newest copy in each thread.
std::map<store::ThreadId, std::int64_t> insert_copies(const Copies& copies,
                                                      const std::vector<SessionMessage>& messages) {
    store::Store& store = copies.store;
    const store::AgentId agent = copies.agent.id;
    const auto count = static_cast<base::TimeMs>(messages.size());
    copies.parts.next();
    store::ImportIds next = store::begin_import(store, agent, count, 0);
    // the last copy gets the present time, unless the agent's clock is ahead
    base::TimeMs time = store::advance_timestamp(store, agent, sys::now_ms() - count);
    std::map<store::ThreadId, std::string> chains;
    std::map<store::ThreadId, std::int64_t> newest;
    std::map<store::ThreadId, std::int64_t> compactions;
    for (const SessionMessage& each : messages) {
        copies.parts.next();
        if (!newest.contains(each.thread)) require_thread(store, copies.agent, each.thread);
        store::StoredMessage copy;
        copy.message = each.message;
        copy.message.id = next.next_message++;
        copy.message.turn_id = 0;
        copy.message.timestamp = ++time;
        copy.thread = each.thread;
        copy.restored_from = copies.session;
        copy.original_timestamp = each.message.timestamp;
        store::insert_copy(store, agent, copy);
        newest[each.thread] = copy.message.id;
        if (copy.message.is_compaction) compactions[each.thread] = copy.message.id;
        if (!copies.begins_window) continue;
        std::string& chain = chains[each.thread];
        chain = chained_hash(chain, copy.message);
        store::set_prefix_hash(store, copy.message.id, chain);
    }
    store::end_import(store, agent);
    store::advance_timestamp(store, agent, time);
    for (const auto& [thread, id] : compactions) store::set_compaction(store, agent, thread, id);
    return newest;
}

bool needs_saving(const RestoreOptions& options, const std::vector<SessionMessage>& present,
                  std::size_t copies) {
    return options.save && !options.append && !present.empty() && copies < present.size();
}

std::optional<store::Prompt> find_waiting(store::Store& store, const store::Turn& turn) {
    for (store::Prompt& prompt : store::load_prompts(store, turn.id))
        if (prompt.state == store::PromptState::pending &&
            !store::has_expired(prompt, sys::now_ms()))
            return std::move(prompt);
    return std::nullopt;
}

}  // namespace

void require_no_open_turn(store::Store& store, const store::Agent& agent) {
    const auto open = store::open_turns(store, agent.id);
    if (open.empty()) return;
    const store::Turn& turn = open.front();
    const auto waits = find_waiting(store, turn);
    throw Error(ErrorCode::agent_busy,
                "agent '" + agent.name + "': turn " + std::to_string(turn.turn_number) +
                    " of thread " + std::to_string(turn.thread_id) + " has not ended" +
                    (waits ? ": it waits for a decision" : ""),
                "continue it: " + (waits ? chat::decide_commands(agent.name, waits->id, waits->kind)
                                         : chat::resume_command(agent.name, turn.thread_id)));
}

Restoration restore_session(store::Store& store, const agent::Home& home, const store::Agent& agent,
                            const store::Session& session, std::vector<SessionMessage> messages,
                            const RestoreOptions& options, const policy::Redaction& redaction) {
    require_no_open_turn(store, agent);
    const auto present = agent_messages(store, agent, options.after_time);
    const std::size_t copies = copies_in(store, agent, present, session.id);
    Restoration done;
    done.was_there = options.append && copies > 0;
    if (done.was_there) return done;

    const bool was_empty = messages.empty();
    const Mended mended = mend(std::move(messages), options.append ? ids_in(present) : CallIds{});
    if (mended.messages.empty() && !was_empty)
        throw Error(ErrorCode::failed,
                    "session '" + short_id(session.id) + "': it has no message of the user");
    done.messages = mended.messages.size();
    done.left_out = mended.left_out;
    done.added = mended.added;
    done.was_there = !options.append && !present.empty() && copies == present.size() &&
                     copies == mended.messages.size();
    if (done.was_there) return done;
    if (needs_saving(options, present, copies))
        done.saved = write_session(home, agent, present,
                                   {.trigger = SessionTrigger::pre_restore,
                                    .model = options.model,
                                    .description = topic(present)},
                                   redaction);

    done.before = store::newest_message_id(store, agent.id);
    store::Parts parts(store);
    done.newest =
        insert_copies({store, parts, agent, session.id, !options.append}, mended.messages);
    if (done.saved) store::insert_session(store, *done.saved);
    if (!options.append) {
        store::advance_clear(store, agent.id, sys::now_ms(), done.before);
        store::clear_summaries(store, agent.id);
    }
    parts.commit();
    return done;
}

}  // namespace chorus::context
