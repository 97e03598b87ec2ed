#include "store/artifacts.hpp"

#include "store/sqlite.hpp"

namespace chorus::store {

void insert_artifact(Store& store, const Artifact& artifact) {
    store
        .prepare(
            "INSERT INTO artifacts (agent_id, artifact_id, kind, name, description, mime_type, "
            "status, version, "
            "size, path, created_at, updated_at) VALUES (?, ?, ?, ?, '', ?, 'complete', 1, ?, ?, "
            "?, ?)")
        .bind(artifact.agent_id)
        .bind(artifact.artifact_id)
        .bind(artifact.kind)
        .bind(artifact.name)
        .bind(artifact.mime_type)
        .bind(artifact.size_bytes)
        .bind(artifact.path)
        .bind(artifact.created_at)
        .bind(artifact.created_at)
        .run();
}

std::vector<Artifact> list_artifacts(Store& store, AgentId agent) {
    Statement statement = store.prepare(
        "SELECT agent_id, artifact_id, kind, name, description, mime_type, size, path, created_at, "
        "updated_at, status, version, turn_id FROM artifacts WHERE agent_id = ? "
        "ORDER BY created_at, artifact_id");
    statement.bind(agent);
    std::vector<Artifact> artifacts;
    while (statement.step()) {
        Row row(statement);
        Artifact& artifact = artifacts.emplace_back();
        artifact.agent_id = row.integer();
        artifact.artifact_id = row.text();
        artifact.kind = row.text();
        artifact.name = row.text();
        artifact.description = row.text();
        artifact.mime_type = row.text();
        artifact.size_bytes = row.integer();
        artifact.path = row.text();
        artifact.created_at = row.integer();
        artifact.updated_at = row.integer();
        artifact.status = row.text();
        artifact.version = row.integer();
        artifact.turn_id = row.integer();
    }
    return artifacts;
}

}  // namespace chorus::store
