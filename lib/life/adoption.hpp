// What an agent directory from elsewhere must go through before it is one of ours.
#pragma once

#include <string>
#include <vector>

#include "agent/layout.hpp"
#include "store/agents.hpp"
#include "store/sessions.hpp"

namespace chorus::life {

// What of a template makes an agent: agent.json, docs/ and workspace/, without anything of git.
// Returns what was left out.
std::vector<std::string> copy_template(const std::string& from, const std::string& to);

// Copies a directory, or unpacks a packed agent, into `to`. Returns what was not taken.
std::vector<std::string> bring_in(const std::string& from, const std::string& to);

// Error(bad_request) where a part of an agent's directory is a link: what is done to the part would
// be done elsewhere.
void refuse_links(const agent::Directory& directory);

// Removes from a workspace's .git what git would run or obey; the history stays. Returns what was
// there of it, as paths in the agent's directory.
std::vector<std::string> reset_git(const std::string& workspace);
// A hash of all that, to tell whether it was changed; "" where there is no such directory.
std::string git_state(const std::string& workspace);

// sessions/*.json as rows of an agent, those that are readable.
std::vector<store::Session> read_sessions(const store::Agent& agent,
                                          const agent::Directory& directory);

}  // namespace chorus::life
