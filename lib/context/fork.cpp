#include "context/fork.hpp"

#include <algorithm>
#include <limits>

#include "agent/layout.hpp"
#include "base/error.hpp"
#include "context/window.hpp"
#include "store/artifacts.hpp"
#include "store/believed.hpp"
#include "store/history.hpp"
#include "store/messages.hpp"
#include "store/records.hpp"
#include "store/settings.hpp"
#include "store/turns.hpp"
#include "sys/clock.hpp"

namespace chorus::context {
namespace {

using base::Error;
using base::ErrorCode;
using chat::Message;
using chat::Role;

using Messages = std::vector<Message>;

bool concludes(const Message& message) {
    return message.role == Role::assistant && message.tool_calls.empty();
}

// A summary reports earlier messages and asks the model nothing.
bool asks_for_an_answer(const Message& message) {
    return !concludes(message) && !message.is_compaction;
}

// Returns the turn of a message; for a copy, the turn of its original.
std::optional<store::Turn> turn_of(store::Store& store, std::int64_t message) {
    auto row = store::find_message(store, message);
    if (row && row->message.turn_id == 0 && row->original != 0)
        row = store::find_message(store, row->original);
    if (!row || row->message.turn_id == 0) return std::nullopt;
    return store::find_turn(store, row->message.turn_id);
}

Messages present_window(store::Store& store, const store::Agent& agent, const store::Thread& thread,
                        const ForkAt& at) {
    return cut_window(store::load_window(
                          store, agent.id, thread.id,
                          store::bounds_of(agent, thread, sys::now_ms() - at.rolling_window_ms)),
                      {})
        .messages;
}

// The hash chain restarts where the window was empty: after a clear, or at the thread's beginning.
Messages since_last_beginning(store::Store& store, Messages messages) {
    for (std::size_t i = messages.size(); i-- > 0;) {
        const Message& message = messages[i];
        if (!message.starts_turn ||
            store::prefix_hash_of(store, message.id) != chained_hash({}, message))
            continue;
        messages.erase(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(i));
        break;
    }
    return messages;
}

// Returns the window up to and including message `id`, which need not exist.
Messages window_then(store::Store& store, const store::Agent& agent, const store::Thread& thread,
                     std::int64_t id, const Message& message, const ForkAt& at) {
    const base::TimeMs after_time =
        std::min(message.timestamp, sys::now_ms()) - at.rolling_window_ms;
    Messages loaded = since_last_beginning(
        store, store::load_window_at(store, agent.id, thread.id, id,
                                     {.after_time = after_time, .open_turn = message.turn_id}));
    store::put_compactions_first(loaded);
    return cut_window(std::move(loaded), {.open_turn = message.turn_id}).messages;
}

// Returns the newest message written while message `id` was in the window: for a rewound message,
// the last one before the rewind. Otherwise returns `id`, as a summary that replaced it came later.
std::int64_t newest_beside(store::Store& store, const store::Thread& thread, std::int64_t id) {
    std::int64_t newest = id;
    store::for_each_message(store, {.agent = thread.agent_id, .thread = thread.id, .after = id - 1},
                            [&](const store::StoredMessage& said) {
                                if (said.left_for && *said.left_for < 0)
                                    newest = -*said.left_for - 1;
                                return false;
                            });
    return newest;
}

Message require_message(store::Store& store, const store::Agent& agent, const store::Thread& thread,
                        std::int64_t id) {
    auto row = store::find_message(store, id);
    if (row && row->agent_id == agent.id && row->thread == thread.id)
        return std::move(row->message);
    throw Error(ErrorCode::not_found,
                "message " + std::to_string(id) + ": thread " + std::to_string(thread.id) +
                    " of agent '" + agent.name + "' has no such message",
                row && row->agent_id == agent.id
                    ? "it is in thread " + std::to_string(row->thread) + ": -t " +
                          std::to_string(row->thread)
                    : "chorus-context messages " + agent.name + " -t " + std::to_string(thread.id) +
                          " shows the ids");
}

void refuse_torn(const ForkPoint& point, std::int64_t at) {
    if (find_torn(point.kept).empty()) return;
    throw Error(
        ErrorCode::bad_request,
        "message " + std::to_string(at) + ": a fork there would separate a call from its result",
        "fork at a user message, or at an answer");
}

// Moves the point before the newest turn if that turn runs, waits or was cut short.
void leave_out_open_turn(store::Store& store, const store::Thread& thread, ForkPoint& point) {
    const auto turn = store::newest_turn(store, thread.agent_id, thread.id);
    if (!turn || (turn->ended_at != 0 && find_torn(point.kept).empty())) return;
    const auto first =
        std::find_if(point.kept.begin(), point.kept.end(),
                     [&](const Message& message) { return message.turn_id == turn->id; });
    if (first == point.kept.end()) return;
    point.left_out = turn->turn_number;
    point.message = first->id;
    point.kept.erase(first, point.kept.end());
}

ForkPoint end_of(store::Store& store, const store::Agent& agent, const store::Thread& thread,
                 const ForkAt& at) {
    ForkPoint point;
    point.message = store::newest_message_id(store, agent.id, thread.id);
    if (point.message == 0)
        throw Error(ErrorCode::not_found, "agent '" + agent.name +
                                              "': there are no messages in thread " +
                                              std::to_string(thread.id) + " yet");
    point.until = std::numeric_limits<base::TimeMs>::max();
    point.kept = present_window(store, agent, thread, at);
    if (point.message == thread.compaction && !point.kept.empty())
        point.message = point.kept.back().id;
    leave_out_open_turn(store, thread, point);
    refuse_torn(point, point.message);
    return point;
}

// Returns the window as it was just after a summary replaced its older messages, or just before.
ForkPoint point_at_compaction(store::Store& store, const store::Agent& agent,
                              const store::Thread& thread, const Message& message,
                              const ForkAt& at) {
    ForkPoint point;
    point.kept = window_then(store, agent, thread, message.id - (at.exclude ? 1 : 0), message, at);
    refuse_torn(point, message.id);
    point.message = point.kept.empty() ? message.id : point.kept.back().id;
    point.until = message.timestamp;
    return point;
}

ForkPoint point_at(store::Store& store, const store::Agent& agent, const store::Thread& thread,
                   const ForkAt& at) {
    const Message message = require_message(store, agent, thread, at.message);
    if (message.is_compaction) return point_at_compaction(store, agent, thread, message, at);
    const auto is_it = [&](const Message& one) { return one.id == message.id; };
    ForkPoint point;
    point.message = message.id;
    point.kept = present_window(store, agent, thread, at);
    if (std::none_of(point.kept.begin(), point.kept.end(), is_it))
        point.kept = window_then(store, agent, thread, newest_beside(store, thread, message.id),
                                 message, at);
    const auto found = std::find_if(point.kept.begin(), point.kept.end(), is_it);
    if (found == point.kept.end())
        throw Error(ErrorCode::bad_request, "message " + std::to_string(message.id) +
                                                ": it was taken back, and is in no window");
    point.kept.erase(at.exclude ? found : found + 1, point.kept.end());
    refuse_torn(point, message.id);
    // before what the user said, or after the last one kept
    if (message.role != Role::user) point.message = point.kept.back().id;
    point.until = message.timestamp;
    return point;
}

// A turn without an answer is inserted in the branch too, so that --resume can continue it.
store::TurnId insert_unanswered_turn(store::Store& store, const store::Thread& thread,
                                     std::int64_t message, base::TimeMs now) {
    store::Turn turn;
    const auto original = turn_of(store, message);
    if (original) {
        turn.actor = original->actor;
        turn.model = original->model;
        turn.profile = original->profile;
        turn.options = original->options;
        turn.working_directory = original->working_directory;
        turn.commit_before = original->commit_before;
    }
    turn.agent_id = thread.agent_id;
    turn.thread_id = thread.id;
    turn.state = store::TurnState::exited;
    turn.reason = "branched";
    turn.started_at = turn.ended_at = now;
    store::insert_turn(store, turn);
    if (original) store::copy_delivered(store, original->id, turn);
    store::count_turn(store, turn, now);
    return turn.id;
}

// Returns the id of the first copy, 0 for none.
std::int64_t copy_messages(store::Store& store, const store::Thread& to, const ForkPoint& point,
                           base::TimeMs now) {
    std::int64_t first = 0;
    std::string chain;
    store::TurnId turn = 0;
    for (const Message& message : point.kept) {
        if (message.id == point.unanswered)
            turn = insert_unanswered_turn(store, to, message.id, now);
        const std::int64_t id =
            store::copy_message(store, message.id, to.agent_id, to.id, turn, now);
        if (message.is_compaction) store::set_compaction(store, to.agent_id, to.id, id);
        chain = chained_hash(chain, message);
        store::set_prefix_hash(store, id, chain);
        if (first == 0) first = id;
    }
    return first;
}

struct Moved {
    std::string from;  // directories relative to the home, ending in a slash
    std::string to;
    base::TimeMs until = 0;
};

// A sub-agent has one thread; the window of that thread is copied with it.
void copy_child(store::Store& store, const store::Agent& child, store::AgentId parent,
                const Moved& moved, base::TimeMs now) {
    store::Agent copy = child;
    copy.parent_id = parent;
    copy.parent_turn = 0;  // the call has one sub-agent, the original
    copy.parent_call.clear();
    copy.dir = moved.to + child.dir.substr(moved.from.size());
    const store::Agent inserted = store::insert_agent(store, copy);
    store::set_agent_status(store, inserted.id, child.status);
    store::copy_settings(store, child.id, inserted.id);
    store::copy_artifacts(store, child.id, inserted.id);
    ForkPoint point;
    point.kept =
        cut_window(
            store::load_window(store, child.id, 1, {.after_message = child.last_clear_message}), {})
            .messages;
    leave_out_open_turn(store, *store::find_thread(store, child.id, 1), point);
    copy_messages(store, *store::find_thread(store, inserted.id, 1), point, now);
    for (const store::Agent& below : store::list_children(store, child.id))
        if (below.dir.starts_with(moved.from)) copy_child(store, below, inserted.id, moved, now);
}

void copy_children(store::Store& store, const store::Agent& agent, const Moved& moved,
                   base::TimeMs now) {
    for (const store::Agent& child : store::list_children(store, agent.id))
        if (child.status == store::AgentStatus::active && child.dir.starts_with(moved.from) &&
            was_there(child, moved.until))
            copy_child(store, child, agent.id, moved, now);
}

}  // namespace

bool was_there(const store::Agent& child, base::TimeMs until) {
    return child.created_at <= until || !store::is_believed(child.created_at, sys::now_ms());
}

std::string commit_at(store::Store& store, std::int64_t message) {
    const auto row = store::find_message(store, message);
    const auto turn = turn_of(store, message);
    if (!row || !turn) return {};
    return concludes(row->message) ? turn->commit_after : turn->commit_before;
}

ForkPoint find_fork_point(store::Store& store, const store::Agent& agent,
                          const store::Thread& thread, const ForkAt& at) {
    // one snapshot: a running turn keeps committing
    const store::Transaction moment(store);
    ForkPoint point =
        at.message == 0 ? end_of(store, agent, thread, at) : point_at(store, agent, thread, at);
    if (!point.kept.empty() && asks_for_an_answer(point.kept.back())) {
        const auto begin = std::find_if(point.kept.rbegin(), point.kept.rend(),
                                        [](const Message& one) { return one.starts_turn; });
        if (begin != point.kept.rend()) point.unanswered = begin->id;
    }
    point.commit = commit_at(store, point.message);
    return point;
}

void copy_window(store::Store& store, const store::Agent& agent, const store::Thread& from,
                 store::Thread& to, std::int64_t rolling_window_ms) {
    ForkPoint point;
    point.kept = present_window(store, agent, from, {.rolling_window_ms = rolling_window_ms});
    leave_out_open_turn(store, from, point);
    while (!point.kept.empty() && asks_for_an_answer(point.kept.back())) point.kept.pop_back();
    to.window_start = copy_messages(store, to, point, sys::now_ms());
    store::set_cut(store, to);
}

store::Thread insert_fork(store::Store& store, const store::Agent& agent,
                          const store::Thread& parent, const std::string& branch,
                          const ForkPoint& point, base::TimeMs now) {
    store::Thread thread;
    thread.agent_id = agent.id;
    thread.id = 0;
    thread.branch = branch;
    thread.parent_thread = parent.id;
    thread.branch_point = point.message;
    thread.summary = parent.summary;
    thread.created_at = thread.last_activity = now;
    thread = store::insert_thread(store, thread);
    thread.window_start = copy_messages(store, thread, point, now);
    store::set_cut(store, thread);
    const agent::Directory directory(agent.dir);
    copy_children(store, agent,
                  {directory.branch_agents(parent.branch) + "/",
                   directory.branch_agents(branch) + "/", point.until},
                  now);
    store::insert_event(store, {.agent_id = agent.id,
                                .thread_id = thread.id,
                                .at = now,
                                .kind = "branch",
                                .previous = parent.branch,
                                .next = branch,
                                .cause = "forked at message " + std::to_string(point.message)});
    return thread;
}

}  // namespace chorus::context
