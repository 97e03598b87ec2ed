// Imports a foreign agent directory: copies it and removes what could harm this home.
#pragma once

#include <string>
#include <vector>

#include "agent/layout.hpp"
#include "store/agents.hpp"
#include "store/sessions.hpp"

namespace chorus::life {

// Copies agent.json, docs/ and workspace/ of a template, without anything of git. Returns what was
// left out.
std::vector<std::string> copy_template(const std::string& from, const std::string& to);

// Copies a directory, or unpacks a packed agent, into `to`. Returns what was left out.
std::vector<std::string> bring_in(const std::string& from, const std::string& to);

// Error(bad_request) if a part of an agent's directory is a link, because changes to the part would
// be made elsewhere.
void refuse_links(const agent::Directory& directory);

// Removes from a workspace's .git what git would run or read as configuration; the history stays.
// Returns what was removed, as paths in the agent's directory.
std::vector<std::string> reset_git(const std::string& workspace);
// Returns a hash of all that, to detect changes; "" if there is no such directory.
std::string git_state(const std::string& workspace);

// Returns the readable sessions/*.json as rows of an agent.
std::vector<store::Session> read_sessions(const store::Agent& agent,
                                          const agent::Directory& directory);

}  // namespace chorus::life
