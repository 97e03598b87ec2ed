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

}  // namespace chorus::store
