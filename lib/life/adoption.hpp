// What an agent directory from elsewhere must go through before it is one of ours.
#pragma once

#include <string>
#include <vector>

#include "agent/layout.hpp"
#include "store/agents.hpp"
#include "store/sessions.hpp"

namespace chorus::life {

// Copies a directory, or unpacks a packed agent, into `to`. Returns what was not taken.
std::vector<std::string> bring_in(const std::string& from, const std::string& to);

struct SetAside {
    std::string text;   // agent.json without them
    std::string aside;  // them, as JSON
    std::vector<std::string> keys;
};
// The keys that start programs, send data, choose the environment or widen rights.
SetAside set_aside_trust_keys(const std::string& text);

// Error(bad_request) where a part of an agent's directory is a link: what is done to the part would
// be done elsewhere.
void refuse_links(const agent::Directory& directory);

// Removes from a workspace's .git what git would run or obey; the history stays.
void reset_git(const std::string& workspace);

// sessions/*.json as rows of an agent, those that are readable.
std::vector<store::Session> read_sessions(const store::Agent& agent,
                                          const agent::Directory& directory);

}  // namespace chorus::life
