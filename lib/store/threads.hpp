#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/agents.hpp"

namespace chorus::store {

using ThreadId = std::int64_t;  // per agent, 1 = main

struct Thread {
    AgentId agent_id = 0;
    ThreadId id = 1;
    std::string branch;
    ThreadId parent_thread = 0;     // 0: none
    std::int64_t branch_point = 0;  // message id
    std::string summary;
    std::string status = "idle";    // idle, running, waiting_for_permission, completed
    std::int64_t window_start = 0;  // the stored cut: first message id that may be in the window
    base::TimeMs created_at = 0;
    base::TimeMs last_activity = 0;
    std::string current_step;  // of its running turn, for the status block
};

// A thread begun beside another is in that one's branch; one that was forked, or the first, has its
// own.
inline bool has_own_branch(const Thread& thread) {
    return thread.parent_thread == 0 || thread.branch_point != 0;
}

// "try" of "20260212103000-try"; "main" is itself.
std::string given_name(std::string_view branch);

std::optional<Thread> find_thread(Store& store, AgentId agent, ThreadId id);
std::optional<Thread> find_thread_of_branch(Store& store, AgentId agent, std::string_view branch);
std::vector<Thread> list_threads(Store& store, AgentId agent);
Thread insert_thread(Store& store, const Thread& thread);  // id 0: the next free number
void set_thread_status(Store& store, AgentId agent, ThreadId id, std::string_view status,
                       base::TimeMs now);
void set_thread_summary(Store& store, AgentId agent, ThreadId id, std::string_view summary);
void set_window_start(Store& store, AgentId agent, ThreadId id, std::int64_t message_id);

}  // namespace chorus::store
