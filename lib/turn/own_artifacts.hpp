// The artifacts that a turn's tools read and write.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "chat/event.hpp"
#include "place/place.hpp"
#include "tools/artifact_holders.hpp"
#include "turn/turn_record.hpp"

namespace chorus::turn {

// `store_mutex` is held while the store is used: tools run in several threads. All references must
// outlive it.
tools::Artifacts artifacts_of(place::Place& place, Record& record, std::mutex& store_mutex);
struct ArtifactOwner {
    store::Store& store;
    const store::Agent& agent;
    const agent::Directory& directory;
    const policy::Redaction& redaction;
    const std::function<void(const std::string&)>& warn;
};
// Stores the row of an artifact whose file a killed call has written to `path` of the agent's
// directory.
void enter_written_artifact(const ArtifactOwner& owner, const store::ToolRun& run,
                            const std::string& path);
// Returns what the turn wrote, for its result.
std::vector<chat::Artifact> written_artifacts(store::Store& store, store::TurnId turn);

}  // namespace chorus::turn
