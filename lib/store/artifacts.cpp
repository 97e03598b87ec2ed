#include "store/artifacts.hpp"

#include <set>

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
    column("turn_id", &Artifact::turn_id, NullIs{0}),
};

bool is_of_open_turn(Store& store, const Artifact& artifact) {
    return has_row(store, "SELECT 1 FROM turns WHERE id = ? AND ended_at IS NULL",
                   artifact.turn_id);
}

}  // namespace

void insert_artifact(Store& store, const Artifact& artifact) {
    Artifact inserted = artifact;
    inserted.updated_at = artifact.created_at;
    artifacts.insert(store, inserted);
}

void save_artifact(Store& store, const Artifact& artifact) {
    run(store, "DELETE FROM artifacts WHERE agent_id = ? AND artifact_id = ?", artifact.agent_id,
        artifact.artifact_id);
    artifacts.insert(store, artifact);
}

void copy_artifacts(Store& store, AgentId from, AgentId to) {
    for (Artifact& one : list_artifacts(store, from)) {
        one.agent_id = to;
        one.turn_id = 0;
        artifacts.insert(store, one);
    }
}

std::vector<Artifact> artifacts_of_turn(Store& store, std::int64_t turn) {
    return artifacts.all(store, "WHERE turn_id = ? ORDER BY created_at, artifact_id", turn);
}

std::vector<Artifact> list_artifacts(Store& store, AgentId agent) {
    return artifacts.all(store, "WHERE agent_id = ? ORDER BY created_at, artifact_id", agent);
}

std::size_t archive_artifacts(Store& store, AgentId agent) {
    const std::vector<Artifact> all = list_artifacts(store, agent);
    std::set<std::string> taken;
    for (const Artifact& one : all) taken.insert(one.artifact_id);
    std::size_t archived = 0;
    for (const Artifact& one : all) {
        if (one.is_archived() || is_of_open_turn(store, one)) continue;
        std::string id;
        int number = 0;
        do id = one.artifact_id + "~" + std::to_string(++number);
        while (!taken.insert(id).second);
        run(store,
            "UPDATE artifacts SET artifact_id = ?, status = 'archived' WHERE agent_id = ? AND "
            "artifact_id = ?",
            id, agent, one.artifact_id);
        ++archived;
    }
    return archived;
}

}  // namespace chorus::store
