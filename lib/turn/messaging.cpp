#include "turn/messaging.hpp"

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/block.hpp"
#include "chat/json.hpp"
#include "context/find_thread.hpp"
#include "context/prompt_texts.hpp"
#include "life/children.hpp"
#include "store/records.hpp"
#include "sys/clock.hpp"
#include "task/reports.hpp"

namespace chorus::turn {
namespace {

using base::Error;
using base::ErrorCode;

store::Agent require_target(place::Place& place, const std::string& name) {
    if (name == place.agent.name)
        throw Error(ErrorCode::bad_request, name + ": that is you; name another agent");
    for (life::SubAgent& below : life::sub_agents_of(place.store, place.agent))
        if (below.agent.name == name) return std::move(below.agent);
    auto agent = store::find_agent(place.store, name);
    if (agent && agent->status == store::AgentStatus::active) return std::move(*agent);
    throw Error(ErrorCode::not_found, name + ": there is no such agent",
                "list_agents shows their names");
}

// Returns the thread that a person's message would be queued for.
store::ThreadId current_thread(place::Place& place, const store::Agent& agent) {
    const agent::Directory directory = place.surroundings.home.directory(agent.dir);
    return context::require_thread(place.store, agent, directory, "").id;
}

// The right to edit oneself is none to have another agent edited.
std::string without_self_edits(const std::string& rights) {
    chat::Json all = chat::parse_json(rights, "rights");
    all["profiles"].push_back({{"base", "open"}, {"deny", {"tool:self_edit:[\\s\\S]*"}}});
    return chat::dump(all);
}

std::vector<tools::OtherAgent> all_agents(place::Place& place) {
    std::vector<tools::OtherAgent> all;
    for (const store::Agent& agent : store::list_agents(place.store))
        if (agent.status == store::AgentStatus::active)
            all.push_back({agent.name, agent.description, "", agent.id == place.agent.id});
    for (const life::SubAgent& below : life::sub_agents_of(place.store, place.agent))
        all.push_back({below.agent.name, below.agent.description, below.parent});
    return all;
}

}  // namespace

std::string message_key(store::TurnId turn, const std::string& call_id) {
    return "call " + std::to_string(turn) + " " + call_id;
}

tools::OtherAgents other_agents_of(place::Place& place, const Record& record, tools::Tasks& tasks) {
    const auto all = [&place, &tasks] {
        const std::lock_guard lock(tasks.mutex);
        return all_agents(place);
    };
    const auto documents = [&place, &tasks](const std::string& target) {
        const std::lock_guard lock(tasks.mutex);
        const store::Agent agent = require_target(place, target);
        return context::documents_text(place.surroundings.home.directory(agent.dir));
    };
    const auto send = [&place, &record, &tasks](const std::string& target, const std::string& text,
                                                const std::string& call_id) {
        const std::lock_guard lock(tasks.mutex);
        const store::Agent agent = require_target(place, target);
        const store::Task about = tasks.about();
        if (about.depth > base::limits::message_depth)
            throw Error(ErrorCode::limit, "agents have answered each other " +
                                              std::to_string(base::limits::message_depth) +
                                              " times since a person wrote: no more messages");
        store::Transaction transaction(place.store);
        store::insert_inbox(
            place.store,
            {.agent_id = agent.id,
             .thread_id = current_thread(place, agent),
             .source = "agent " + place.agent.name,
             .actor = about.actor,
             .content = chat::message_from(place.agent.name, place.redaction.apply(text)),
             .created_at = sys::now_ms(),
             .depth = about.depth,
             .rights = without_self_edits(about.rights),
             .idempotency_key = message_key(record.turn().id, call_id)});
        transaction.commit();
    };
    return {all, documents, send};
}

void report_to_spawner(place::Place& place, const chat::TurnResult& result) {
    if (place.agent.parent_turn == 0) return;
    std::string text = result.text;
    if (result.error) {
        text = result.error->message() + (text.empty() ? "" : "\n\n" + text);
        if (result.state != chat::State::completed)
            text = std::string(chat::name(result.state)) + ": " + text;
        text = "Error: " + text;
    }
    if (const std::string work = chat::said_of(result.work); !work.empty())
        text = std::string(base::trim_end(text)) + work;
    task::report_sub_agent(place.store, place.agent, text);
}

}  // namespace chorus::turn
