#include "context/window_check.hpp"

#include <algorithm>

#include "context/window.hpp"
#include "store/messages.hpp"
#include "store/threads.hpp"
#include "store/turns.hpp"

namespace chorus::context {
namespace {

// The newest turn is ignored: its calls get their results when the thread continues.
std::string problem_of(store::Store& store, const store::Agent& agent,
                       const store::Thread& thread) {
    const auto newest = store::newest_turn(store, agent.id, thread.id);
    auto messages =
        store::load_window(store, agent.id, thread.id, store::bounds_of(agent, thread, 0));
    if (newest)
        std::erase_if(messages,
                      [&](const chat::Message& message) { return message.turn_id == newest->id; });
    messages = cut_window(std::move(messages), {}).messages;
    return messages.empty() ? "" : find_torn(messages);
}

void begin_anew(store::Store& store, const store::Agent& agent, store::Thread thread) {
    store::Transaction transaction(store);
    thread.window_start = store::newest_message_id(store, agent.id, thread.id) + 1;
    thread.compaction = 0;
    store::set_cut(store, thread);
    store::set_window_floor(store, agent.id, thread.id, thread.window_start);
    store::set_compaction(store, agent.id, thread.id, 0);
    transaction.commit();
}

}  // namespace

std::vector<Finding> check_windows(store::Store& store, bool fix) {
    std::vector<Finding> findings;
    for (const store::Agent& agent : store::list_agents(store))
        for (const store::Thread& thread : store::list_threads(store, agent.id)) {
            const std::string problem = problem_of(store, agent, thread);
            if (problem.empty()) continue;
            if (fix) begin_anew(store, agent, thread);
            findings.push_back(
                {"agent '" + agent.name + "': thread " + std::to_string(thread.id) + ": " +
                     problem + (fix ? "; a new window was started, earlier messages are kept" : ""),
                 fix});
        }
    return findings;
}

}  // namespace chorus::context
