// Branches: threads forked into directories of their own. The fork holds copies, so both threads
// continue independently.
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
    store::Thread thread;  // its `branch` is the full name
    std::string parent;    // the parent branch; "" for main
    std::string commit;    // HEAD of the workspace at the fork point, "" if unknown
    bool is_current = false;
};

// Requires at most 64 letters, digits, '.', '_' and '-', the first a letter or digit; not main, and
// not only digits. Throws Error(bad_request).
void check_branch_name(const std::string& name);

// Throws Error(bad_request).
[[noreturn]] void refuse_sub_agent(const std::string& name);

struct NewBranch {
    Branch branch;
    ForkPoint point;
};
// Creates branches/<YYYYMMDDHHMMSS>-<name> and its rows, all or nothing; the forked thread does not
// change. The caller holds the agent's lock in shared mode: nothing that a running turn reads or
// writes changes, and commands that remove messages from a window are kept out. Throws
// Error(exists) if the agent has such a branch, Error(bad_request) for a sub-agent, and what
// find_fork_point throws.
NewBranch make_branch(store::Store& store, const agent::Home& home, const store::Agent& agent,
                      const store::Thread& parent, const std::string& name, const ForkAt& at,
                      const policy::Redaction& redaction);

// main first.
std::vector<Branch> list_branches(store::Store& store, const agent::Home& home,
                                  const store::Agent& agent);

// Points `current` at the branch, in one step. The caller holds the agent's lock exclusively.
void make_current(store::Store& store, const agent::Home& home, const store::Agent& agent,
                  const store::Thread& branch);

// Returns the paths that reclaim_branches would remove.
std::vector<std::string> find_branch_leftovers(store::Store& store, const agent::Home& home,
                                               const store::Agent& agent);
// Removes unfinished branches and temporary links that killed commands left behind. Does nothing
// while another process holds the branches lock.
void reclaim_branches(store::Store& store, const agent::Home& home, const store::Agent& agent);

}  // namespace chorus::context
