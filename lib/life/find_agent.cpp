#include "life/find_agent.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/shell_quoted.hpp"
#include "base/text.hpp"
#include "life/leftovers.hpp"
#include "store/imports.hpp"
#include "store/turns.hpp"
#include "sys/file.hpp"

namespace chorus::life {
namespace {

using base::Error;
using base::ErrorCode;
using store::AgentStatus;

[[noreturn]] void refuse_unknown(store::Store& store, const std::string& name) {
    if (store::find_destroyed_agent(store, name))
        throw Error(ErrorCode::exited, "agent " + base::quoted(name) + ": it was destroyed",
                    "create a new one with chorus-init " + name);
    std::vector<std::string> names;
    for (const store::Agent& agent : store::list_agents(store))
        if (agent.status == AgentStatus::active) names.push_back(agent.name);
    const auto near = base::nearest(name, names, 1);
    if (!near.empty())
        throw Error(ErrorCode::not_found, "agent " + base::quoted(name) + ": no such agent",
                    "did you mean " + near.front() + "?");
    const std::size_t known = names.size();
    names.resize(std::min<std::size_t>(known, 10));
    throw Error(ErrorCode::not_found, "agent " + base::quoted(name) + ": no such agent",
                known == 0
                    ? "create one with chorus-init NAME"
                    : "there are " + base::quoted_list(names) + (known > 10 ? " and others" : ""));
}

void check_status(const store::Agent& agent) {
    switch (agent.status) {
        case AgentStatus::active:
            return;
        case AgentStatus::creating:
            throw Error(ErrorCode::not_ready,
                        "agent '" + agent.name + "': it is still being created",
                        "try again in a moment");
        case AgentStatus::destroying:
            throw Error(ErrorCode::exited, "agent '" + agent.name + "': it is being destroyed",
                        "if that was interrupted, chorus-destroy " + agent.name + " finishes it");
        case AgentStatus::destroyed:
            throw Error(ErrorCode::exited, "agent '" + agent.name + "': it was destroyed");
    }
}

// Every command uses this path; through a link it would change files elsewhere.
void check_directory(const agent::Home& home, const store::Agent& agent) {
    const std::string path = home.path() + "/" + agent.dir;
    const bool is_link = sys::is_link(path);
    if (!is_link && (!sys::exists(path) || sys::is_directory(path))) return;
    const std::string quoted = base::shell_quoted(path);
    throw Error(ErrorCode::config_invalid,
                path + (is_link ? ": a symbolic link, not the directory of the agent"
                                : ": not a directory"),
                "mv " + quoted + " " + base::shell_quoted(path + ".aside") +
                    (is_link ? ", then move the directory that it points to there"
                             : ", then 'chorus-config doctor --fix'"));
}

// "agents/NAME/branches/BRANCH/agents/ID" with the link `current` in the place of the branch.
std::string in_current_branch(const agent::Home& home, const std::string& dir) {
    const std::size_t top = dir.find('/', dir.find('/') + 1);
    const std::size_t branch = dir.find('/', dir.find('/', top + 1) + 1);
    return home.path() + "/" + dir.substr(0, top) + "/current" + dir.substr(branch);
}

std::string holder(store::Store& store, const store::Agent& agent) {
    for (const store::Turn& turn : store::turns_at_work(store))
        if (turn.agent_id == agent.id)
            return "turn " + std::to_string(turn.turn_number) + " of thread " +
                   std::to_string(turn.thread_id) + " is running, process " +
                   std::to_string(turn.pid);
    return "locked by another command";
}

}  // namespace

// Branches have copies of a sub-agent; this returns the one in the current branch.
std::optional<store::Agent> find_sub_agent(const agent::Home& home, store::Store& store,
                                           const std::string& name) {
    if (name.find('/') != std::string::npos) return store::find_child(store, name);
    std::vector<store::Agent> found = store::list_children_named(store, name);
    if (found.size() > 1)
        std::erase_if(found, [&](const store::Agent& child) {
            const std::string path = home.path() + "/" + child.dir;
            return sys::real_path(path) != sys::real_path(in_current_branch(home, child.dir));
        });
    if (found.empty()) return std::nullopt;
    if (found.size() == 1) return std::move(found.front());
    std::vector<std::string> places;
    for (const store::Agent& child : found) places.push_back(child.dir);
    throw Error(ErrorCode::bad_request,
                "sub-agent '" + name + "': several agents have one of that id",
                "name it by its directory: " + base::quoted_list(places));
}

store::Agent require_agent(const agent::Home& home, store::Store& store, const std::string& name) {
    store::Agent agent = require_destroyable(home, store, name);
    check_status(agent);
    return agent;
}

store::Agent require_destroyable(const agent::Home& home, store::Store& store,
                                 const std::string& name) {
    auto agent = store::find_agent(store, name);
    if (agent && agent->status == AgentStatus::creating) {
        reclaim_leftovers(home, store);
        agent = store::find_agent(store, name);
    }
    if (!agent) agent = find_sub_agent(home, store, name);
    if (!agent)  // one whose creation or destruction was interrupted
        for (store::Agent& child : store::all_agents(store)) {
            if (child.name != name || child.kind != "child") continue;
            if (child.status == AgentStatus::creating) {
                reclaim_leftovers(home, store);
                agent = find_sub_agent(home, store, name);
                break;
            }
            if (child.status == AgentStatus::destroying) agent = std::move(child);
        }
    if (!agent) refuse_unknown(store, name);
    if (agent->status == AgentStatus::destroying) return *agent;
    check_status(*agent);
    check_directory(home, *agent);
    return *agent;
}

store::Agent require_again(store::Store& store, const store::Agent& agent) {
    const auto again = store::find_agent(store, agent.id);
    if (!again) refuse_unknown(store, agent.name);
    check_status(*again);
    return *again;
}

namespace {

HeldAgent held_now(store::Store& store, const store::Agent& agent, sys::Lock lock) {
    store::discard_import(store, agent.id);
    // the row read before the lock was taken may be outdated
    return {require_again(store, agent), std::move(lock)};
}

}  // namespace

HeldAgent hold_agent(const agent::Home& home, store::Store& store, const store::Agent& agent,
                     sys::Lock::Mode mode, std::int64_t wait_ms,
                     const std::function<bool()>& stop) {
    auto lock = sys::Lock::acquire(home.agent_lock(agent.id), mode, wait_ms, stop);
    if (!lock)
        throw Error(ErrorCode::agent_busy, "agent '" + agent.name + "': " + holder(store, agent),
                    "try again later, or wait with --wait");
    return held_now(store, agent, std::move(*lock));
}

std::optional<HeldAgent> try_hold_agent(const agent::Home& home, store::Store& store,
                                        const store::Agent& agent, sys::Lock::Mode mode) {
    auto lock = sys::Lock::try_acquire(home.agent_lock(agent.id), mode);
    if (!lock) return std::nullopt;
    return held_now(store, agent, std::move(*lock));
}

store::Agent require_known(const agent::Home& home, store::Store& store, const std::string& name) {
    if (auto agent = store::find_agent(store, name)) return std::move(*agent);
    if (auto child = find_sub_agent(home, store, name)) return std::move(*child);
    if (auto agent = store::find_destroyed_agent(store, name)) return std::move(*agent);
    if (auto child = store::find_destroyed_child(store, name)) return std::move(*child);
    refuse_unknown(store, name);
}

}  // namespace chorus::life
