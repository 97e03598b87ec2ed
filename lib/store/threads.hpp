#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/agents.hpp"

namespace chorus::store {

using ThreadId = std::int64_t;  // per agent, 1 = main

// Threads of which nothing is kept (store/forget.hpp) have ids from here on. Lists leave them out,
// and so do the messages and turns of an agent.
constexpr ThreadId first_ephemeral_thread = 1'000'000'000;
inline bool is_ephemeral(ThreadId thread) {
    return thread >= first_ephemeral_thread;
}

// The limits that a cut was computed with; 0: no limit (for a time: nothing is kept), -1: unknown.
struct CutLimits {
    std::int64_t rolling_window_ms = -1;
    std::int64_t max_messages = -1;
    std::int64_t token_budget = -1;
};

struct Thread {
    AgentId agent_id = 0;
    ThreadId id = 1;
    std::string branch;
    ThreadId parent_thread = 0;     // 0: none
    std::int64_t branch_point = 0;  // message id
    std::string summary;            // the topic of its first message since the last clear
    std::int64_t window_start = 0;  // the stored cut: first message id that may be in the window
    std::int64_t window_floor = 0;  // nothing before it comes back when the limits grow
    CutLimits cut_limits = {};
    std::int64_t compaction = 0;  // the summary of earlier messages, whatever the cut; 0: none
    base::TimeMs created_at = 0;
    base::TimeMs last_activity = 0;  // read: of its turns too
    // Of its open turn; only lists have them.
    std::string status = "idle";  // idle, running, waiting_for_permission
    std::string current_step;     // "step 2, calling bash"
};

// A thread started beside another shares its branch; a forked thread and the first one have their
// own.
inline bool has_own_branch(const Thread& thread) {
    return thread.parent_thread == 0 || thread.branch_point != 0;
}

// "try" of "20260212103000-try"; "main" is itself.
std::string given_name(std::string_view branch);

std::optional<Thread> find_thread(Store& store, AgentId agent, ThreadId id);
std::optional<Thread> find_thread_of_branch(Store& store, AgentId agent, std::string_view branch);
std::vector<Thread> list_threads(Store& store, AgentId agent);
// Returns the `newest` threads and those with an open turn, but never `except`, in order of id.
std::vector<Thread> list_recent_threads(Store& store, AgentId agent, ThreadId except,
                                        std::size_t newest);
std::int64_t count_threads(Store& store, AgentId agent);
// id 0: the next free number. Messages before its window_start never come back.
Thread insert_thread(Store& store, const Thread& thread);
// Stores the thread's cut and the limits that it was computed with.
void set_cut(Store& store, const Thread& thread);
// Sets a cut that does not come from a limit: messages before it never come back.
void set_window_floor(Store& store, AgentId agent, ThreadId id, std::int64_t message_id);
// Sets the summary of a thread that has none.
void begin_summary(Store& store, AgentId agent, ThreadId id, std::string_view summary);
// Removes those of all the agent's threads: their context was cleared.
void clear_summaries(Store& store, AgentId agent);
void set_compaction(Store& store, AgentId agent, ThreadId id, std::int64_t message_id);
void set_branch_point(Store& store, AgentId agent, ThreadId id, std::int64_t message_id);

}  // namespace chorus::store
