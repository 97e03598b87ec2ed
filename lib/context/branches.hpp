// Branches: a thread forked into a directory of its own. Both live on independently, for the fork
// holds copies.
#pragma once

#include <string>
#include <vector>

#include "agent/layout.hpp"
#include "context/fork.hpp"
#include "policy/redaction.hpp"
#include "store/agents.hpp"
#include "store/threads.hpp"

namespace chorus::context {

struct Branch {
    store::Thread thread;  // its `branch` is the name in full
    std::string parent;    // that branch; "" of main
    std::string commit;    // HEAD of the workspace where it was forked, "" where nobody knows
    bool is_current = false;
};

// Letters, digits, '.', '_' and '-', the first a letter or digit, at most 64; not main, and no
// number alone. Error(bad_request).
void check_branch_name(const std::string& name);

// Error(bad_request).
[[noreturn]] void refuse_sub_agent(const std::string& name);

struct NewBranch {
    Branch branch;
    ForkPoint point;
};
// branches/<YYYYMMDDHHMMSS>-<name> and its rows, all or nothing; the thread that is forked stays as
// it is. The caller holds the agent's lock, shared: nothing that a turn at work reads or writes is
// changed, while what takes messages out of a window is kept away. Error(exists) where the agent
// has such a branch, Error(bad_request) for a sub-agent, and as of find_fork_point.
NewBranch make_branch(store::Store& store, const agent::Home& home, const store::Agent& agent,
                      const store::Thread& parent, const std::string& name, const ForkAt& at,
                      const policy::Redaction& redaction);

// main first.
std::vector<Branch> list_branches(store::Store& store, const agent::Home& home,
                                  const store::Agent& agent);

// Moves `current`, in one step. The caller holds the agent's lock exclusively.
void make_current(store::Store& store, const agent::Home& home, const store::Agent& agent,
                  const store::Thread& branch);

// Paths that reclaim_branches would take away.
std::vector<std::string> find_branch_leftovers(store::Store& store, const agent::Home& home,
                                               const store::Agent& agent);
// Takes away what commands that were killed left of branches in the making and of a link in the
// moving; nothing while another is at it.
void reclaim_branches(store::Store& store, const agent::Home& home, const store::Agent& agent);

}  // namespace chorus::context
