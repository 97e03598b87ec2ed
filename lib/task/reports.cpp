#include "task/reports.hpp"

#include "chat/block.hpp"
#include "store/records.hpp"
#include "sys/clock.hpp"

namespace chorus::task {

void report_sub_agent(store::Store& store, const store::Agent& sub_agent, const std::string& text) {
    const auto task = store::find_task_of_call(store, sub_agent.parent_turn, sub_agent.parent_call);
    if (!task) return;
    const auto above = store::find_agent(store, task->agent_id);
    if (!above || above->status != store::AgentStatus::active) return;
    store::insert_inbox(store, {.agent_id = task->agent_id,
                                .thread_id = task->thread_id,
                                .source = "agent " + sub_agent.name,
                                .actor = task->actor,
                                .content = chat::message_from(sub_agent.name, text),
                                .created_at = sys::now_ms(),
                                .depth = task->depth,
                                .rights = task->rights,
                                .idempotency_key = key_of_report(sub_agent)});
}

std::string key_of_report(const store::Agent& sub_agent) {
    return "sub-agent " + std::to_string(sub_agent.id);
}

}  // namespace chorus::task
