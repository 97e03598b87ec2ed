#include "task/ending.hpp"

#include <algorithm>

#include "base/number.hpp"
#include "base/text.hpp"
#include "store/agents.hpp"
#include "store/records.hpp"
#include "sys/clock.hpp"
#include "sys/process.hpp"
#include "task/kept_plants.hpp"
#include "task/reports.hpp"

namespace chorus::task {
namespace {

std::string message_of(const store::Task& task) {
    std::string about = "[" + task.id + " ended: " + store::outcome(task);
    if (!task.note.empty()) about += "; " + task.note;
    return task.on_exit + "\n\n" + about +
           ". Its command: " + base::visible(task.command, base::Newlines::escape) + "]";
}

// Whether a turn of it works, or waits for a person or for a limit to pass: its end is still to
// come.
bool goes_on(store::Store& store, store::AgentId agent) {
    const auto open = store::open_turns(store, agent);
    return std::any_of(open.begin(), open.end(), [](const store::Turn& turn) {
        return turn.state == store::TurnState::prompt || turn.state == store::TurnState::parked ||
               sys::is_alive({turn.pid, turn.pid_start});
    });
}

void tell_agent(store::Store& store, const store::Task& task) {
    if (task.on_exit.empty()) return;
    const auto agent = store::find_agent(store, task.agent_id);
    if (!agent || agent->status != store::AgentStatus::active) return;
    store::insert_inbox(store, {.id = 0,
                                .agent_id = task.agent_id,
                                .thread_id = task.thread_id,
                                .source = "task " + task.id,
                                .actor = task.actor,
                                .content = message_of(task),
                                .created_at = task.ended_at,
                                .delivered_turn = 0,
                                .depth = task.depth,
                                .rights = task.rights});
}

bool is_reported(store::Store& store, const store::Task& task) {
    const auto sub_agent = store::find_child_of_call(store, task.turn_id, task.tool_call_id);
    return !sub_agent || goes_on(store, sub_agent->id) ||
           store::has_inbox_key(store, key_of_report(*sub_agent));
}

// A sub-agent's turn reports its own end. This is for a process that could not: it was killed, or
// no turn began.
void tell_of_sub_agent(store::Store& store, const store::Task& task) {
    if (task.turn_id == 0) return;
    const auto sub_agent = store::find_child_of_call(store, task.turn_id, task.tool_call_id);
    if (!sub_agent || goes_on(store, sub_agent->id)) return;
    report_sub_agent(store, *sub_agent,
                     "Error: its process has ended: " + store::outcome(task) +
                         (task.note.empty() ? "" : "; " + task.note) + "; " + task.id +
                         " has what it wrote");
}

}  // namespace

std::int64_t number_of(std::string_view id) {
    constexpr std::string_view head = "task_";
    if (id.starts_with(head)) id.remove_prefix(head.size());
    return std::max<std::int64_t>(base::parse_number<std::int64_t>(id).value_or(0), 0);
}

sys::LockRange range_of(const store::Task& task) {
    return {number_of(task.id), 1};
}

sys::LockRange unrecorded_range_of(const store::Task& task) {
    constexpr std::int64_t beyond_all_numbers = std::int64_t{1} << 40;
    return {beyond_all_numbers + number_of(task.id), 1};
}

void note_change(store::Store& store, const store::Task& task, const char* previous,
                 const std::string& cause) {
    store::insert_event(store, {.agent_id = task.agent_id,
                                .thread_id = task.thread_id,
                                .turn_id = task.turn_id,
                                .at = task.ended_at == 0 ? task.started_at : task.ended_at,
                                .kind = "task",
                                .previous = previous,
                                .next = std::string(store::name(task.status)),
                                .cause = cause,
                                .data = task.id});
}

void report_lost(store::Store& store, store::AgentId agent) {
    constexpr base::TimeMs looked_back_ms = 86'400'000;
    const auto lost = store::lost_sub_agents(store, agent, sys::now_ms() - looked_back_ms);
    if (std::all_of(lost.begin(), lost.end(),
                    [&](const store::Task& task) { return is_reported(store, task); }))
        return;
    store::Transaction transaction(store);
    for (const store::Task& task : lost) tell_of_sub_agent(store, task);
    transaction.commit();
}

bool record_end(store::Store& store, const store::Task& task, const std::string& plants) {
    store::Transaction transaction(store);
    if (!store::end_task(store, task)) return false;
    tell_agent(store, task);
    tell_of_sub_agent(store, task);
    note_change(store, task, "running", store::outcome(task));
    const auto agent = plants.empty() ? std::nullopt : store::find_agent(store, task.agent_id);
    if (agent)
        audit_plants(store, *agent,
                     {.timestamp = task.ended_at, .turn_id = task.turn_id, .actor = task.actor},
                     task.id + ": " + plants);
    transaction.commit();
    return true;
}

}  // namespace chorus::task
