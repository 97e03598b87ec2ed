#include "turn/own_artifacts.hpp"

#include "life/children.hpp"
#include "store/store.hpp"

namespace chorus::turn {
namespace {

chat::Artifact shown(const store::Artifact& artifact) {
    return {artifact.artifact_id, artifact.kind,       artifact.name,
            artifact.version,     artifact.size_bytes, artifact.path};
}

}  // namespace

tools::Artifacts artifacts_of(place::Place& place, Record& record, std::mutex& store_mutex) {
    const auto all = [&place, &store_mutex] {
        const std::lock_guard lock(store_mutex);
        std::vector<tools::ArtifactHolder> holders{
            {"", place.directory.path(), store::list_artifacts(place.store, place.agent.id)}};
        for (const life::SubAgent& below : life::sub_agents_of(place.store, place.agent))
            holders.push_back({below.agent.name,
                               place.surroundings.home.directory(below.agent.dir).path(),
                               store::list_artifacts(place.store, below.agent.id)});
        return holders;
    };
    const auto save = [&place, &record, &store_mutex](const store::Artifact& written) {
        const std::lock_guard lock(store_mutex);
        store::Artifact row = written;
        row.agent_id = place.agent.id;
        row.turn_id = record.turn().id;
        row.name = place.redaction.apply(row.name);
        row.description = place.redaction.apply(row.description);
        store::Transaction transaction(place.store);
        store::save_artifact(place.store, row);
        transaction.commit();
    };
    const auto written = [&record](const store::Artifact& artifact, bool appended) {
        record.emit(chat::ArtifactUpdate{shown(artifact), appended});
    };
    return {all, save, written};
}

std::vector<chat::Artifact> written_artifacts(store::Store& store, store::TurnId turn) {
    std::vector<chat::Artifact> all;
    for (const store::Artifact& artifact : store::artifacts_of_turn(store, turn))
        all.push_back(shown(artifact));
    return all;
}

}  // namespace chorus::turn
