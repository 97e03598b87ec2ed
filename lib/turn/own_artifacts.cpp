#include "turn/own_artifacts.hpp"

#include <algorithm>

#include "life/children.hpp"
#include "life/kept_artifacts.hpp"
#include "store/messages.hpp"
#include "store/store.hpp"
#include "tools/effect.hpp"
#include "tools/tool.hpp"

namespace chorus::turn {
namespace {

chat::Artifact shown(const store::Artifact& artifact) {
    return {artifact.artifact_id, artifact.kind,       artifact.name,
            artifact.version,     artifact.size_bytes, artifact.path};
}

void save_row(const ArtifactOwner& owner, store::Artifact row, store::TurnId turn) {
    row.agent_id = owner.agent.id;
    row.turn_id = turn;
    row.name = owner.redaction.apply(row.name);
    row.description = owner.redaction.apply(row.description);
    store::Transaction transaction(owner.store);
    store::save_artifact(owner.store, row);
    transaction.commit();
    life::keep_artifacts(owner.store, owner.agent.id, owner.directory, owner.warn);
}

}  // namespace

tools::Artifacts artifacts_of(place::Place& place, Record& record, std::mutex& store_mutex) {
    const auto all = [&place, &store_mutex] {
        const std::lock_guard lock(store_mutex);
        std::vector<tools::ArtifactHolder> holders{
            {"", place.directory.path(), store::list_artifacts(place.store, place.agent.id)}};
        for (const life::SubAgent& below :
             life::sub_agents_here(place.surroundings.home, place.store, place.agent))
            holders.push_back({below.agent.name,
                               place.surroundings.home.directory(below.agent.dir).path(),
                               store::list_artifacts(place.store, below.agent.id)});
        return holders;
    };
    const auto save = [&place, &record, &store_mutex](const store::Artifact& written) {
        const std::lock_guard lock(store_mutex);
        save_row(
            {place.store, place.agent, place.directory, place.redaction, place.surroundings.warn},
            written, record.turn().id);
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

void enter_written_artifact(const ArtifactOwner& owner, const store::ToolRun& run,
                            const std::string& path) {
    const std::string& tool = run.tool;
    if (tool != "artifact_create" && tool != "artifact_append") return;
    const std::string& directory = owner.directory.path();
    if (tools::find_effect(run.evidence, sys::Root(directory)).effect != tools::Effect::done)
        return;
    const auto own = store::list_artifacts(owner.store, owner.agent.id);
    const bool is_entered = std::any_of(own.begin(), own.end(), [&](const store::Artifact& one) {
        return one.path == path && one.updated_at >= run.intent_at;
    });
    if (is_entered) return;
    for (const chat::Message& message : store::load_turn_messages(owner.store, run.turn_id))
        for (const chat::ToolCall& call : message.tool_calls) {
            if (call.id != run.tool_call_id) continue;
            const auto arguments = tools::Arguments::parse(call.arguments);
            if (auto row = tools::written_artifact(tool, arguments, path, directory, own))
                save_row(owner, std::move(*row), run.turn_id);
        }
}

}  // namespace chorus::turn
