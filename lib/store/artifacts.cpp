#include "store/artifacts.hpp"

#include "store/columns.hpp"

namespace chorus::store {
namespace {

constexpr Table artifacts{
    Source<Artifact>{"artifacts"},
    column("agent_id", &Artifact::agent_id),
    column("artifact_id", &Artifact::artifact_id),
    column("kind", &Artifact::kind),
    column("name", &Artifact::name),
    column("description", &Artifact::description),
    column("mime_type", &Artifact::mime_type),
    column("size", &Artifact::size_bytes),
    column("path", &Artifact::path),
    column("created_at", &Artifact::created_at),
    column("updated_at", &Artifact::updated_at),
    column("status", &Artifact::status),
    column("version", &Artifact::version),
    read_only("turn_id", &Artifact::turn_id),
};

}  // namespace

void insert_artifact(Store& store, const Artifact& artifact) {
    Artifact inserted = artifact;
    inserted.updated_at = artifact.created_at;
    artifacts.insert(store, inserted);
}

std::vector<Artifact> list_artifacts(Store& store, AgentId agent) {
    return artifacts.all(store, "WHERE agent_id = ? ORDER BY created_at, artifact_id", agent);
}

}  // namespace chorus::store
