// What the tools of artifacts work with; one per turn.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/artifacts.hpp"

namespace chorus::tools {

class Arguments;

// Artifacts of an agent, or of a sub-agent below it.
struct ArtifactHolder {
    std::string name;                        // of a sub-agent; "" for the agent itself
    std::string path;                        // of its directory, absolute
    std::vector<store::Artifact> artifacts;  // oldest first
};

struct Artifacts {
    // The agent's own first.
    std::function<std::vector<ArtifactHolder>()> all;
    // Stores the row of an own artifact, which has been written; then tells of it.
    std::function<void(const store::Artifact&)> save;
    std::function<void(const store::Artifact&, bool appended)> written;
};

// Returns the row of what artifact_create or artifact_append has written to `path` of the agent's
// directory when its process was killed; `own` are the agent's rows as they are.
std::optional<store::Artifact> written_artifact(const std::string& tool, const Arguments& arguments,
                                                const std::string& path,
                                                const std::string& directory,
                                                const std::vector<store::Artifact>& own);

}  // namespace chorus::tools
