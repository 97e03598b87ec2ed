#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/agents.hpp"

namespace chorus::store {

// A durable named output, or a stored input.
struct Artifact {
    AgentId agent_id = 0;
    std::string artifact_id = {};
    std::string kind = {};  // file, data, dataset
    std::string name = {};
    std::string description = {};
    std::string mime_type = {};
    std::int64_t size_bytes = 0;
    std::string path = {};  // relative to the agent's directory
    base::TimeMs created_at = 0;
    base::TimeMs updated_at = 0;  // set by readers
    std::string status = "complete";
    std::int64_t version = 1;
    std::int64_t turn_id = 0;  // 0: unknown

    bool is_archived() const { return status == "archived"; }
};

// Runs inside a transaction of the caller.
void insert_artifact(Store& store, const Artifact& artifact);
// Inserts it or replaces the one of that id, with its updated_at. Likewise.
void save_artifact(Store& store, const Artifact& artifact);
// Gives the copy of an agent the rows of the original. Likewise.
void copy_artifacts(Store& store, AgentId from, AgentId to);
// Those that the turn wrote last.
std::vector<Artifact> artifacts_of_turn(Store& store, std::int64_t turn);
// Archives those that are not, except those of a turn that waits: one gets the id "ID~1", or a
// higher number, and its file stays where it is. Returns how many. Runs inside a transaction of the
// caller.
std::size_t archive_artifacts(Store& store, AgentId agent);
// Oldest first, archived ones too.
std::vector<Artifact> list_artifacts(Store& store, AgentId agent);

}  // namespace chorus::store
