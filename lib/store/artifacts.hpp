#pragma once

#include <cstdint>
#include <string>

#include "store/agents.hpp"

namespace chorus::store {

// A durable named output, or input put aside.
struct Artifact {
    AgentId agent_id = 0;
    std::string artifact_id;
    std::string kind;  // file, data, dataset
    std::string name;
    std::string mime_type;
    std::int64_t size_bytes = 0;
    std::string path;  // relative to the agent's directory
    base::TimeMs created_at = 0;
};

// Complete, version 1. Inside a transaction of the caller.
void insert_artifact(Store& store, const Artifact& artifact);

}  // namespace chorus::store
