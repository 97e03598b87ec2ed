// artifacts.jsonl of an agent's directory: what its artifacts are, for whoever adopts the
// directory. The rows of the database decide; each line is what
// `chorus-context artifacts --json --all` prints, without what depends on the home.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/layout.hpp"
#include "store/artifacts.hpp"

namespace chorus::life {

// Writes the file again from the rows, or warns that it could not.
void keep_artifacts(store::Store& store, store::AgentId agent, const agent::Directory& directory,
                    const std::function<void(const std::string&)>& warn);
// Returns the rows of a directory that is adopted, without those whose file is not there. What no
// row can be is left out: the file may come from anywhere.
std::vector<store::Artifact> kept_artifacts(const agent::Directory& directory);

}  // namespace chorus::life
