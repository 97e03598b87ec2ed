// What the tools of artifacts work with; one per turn.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "store/artifacts.hpp"

namespace chorus::tools {

// Artifacts of an agent, or of a sub-agent below it.
struct ArtifactHolder {
    std::string name;                        // of a sub-agent; "" for the agent itself
    std::string path;                        // of its directory, absolute
    std::vector<store::Artifact> artifacts;  // oldest first
};

struct Artifacts {
    // The agent's own first.
    std::function<std::vector<ArtifactHolder>()> all;
    // Stores the row of an own artifact, which is about to be written; then tells of it.
    std::function<void(const store::Artifact&)> save;
    std::function<void(const store::Artifact&, bool appended)> written;
};

}  // namespace chorus::tools
