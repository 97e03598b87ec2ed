#include <iostream>

#include "chorus-context/verbs.hpp"
#include "store/artifacts.hpp"

namespace chorus::command {
namespace {

using cli::Fit;

struct Artifacts : Named {
    explicit Artifacts(cli::Command& verb) : Named(verb, "the agent, also a destroyed one") {}

    void run(Opened& opened) const {
        const store::Agent agent = life::require_known(opened.home, opened.store, name);
        const Form form = cli::form_of_stdout(json);
        const cli::Table table("artifact",
                               {{.key = "id", .width = 16},
                                {.key = "kind", .width = 8},
                                {.key = "size_bytes", .fit = Fit::right, .width = 10},
                                {.key = "created_at", .width = 14},
                                {.key = "name", .width = 16},
                                {.key = "path"}},
                               "");
        for (const store::Artifact& artifact : store::list_artifacts(opened.store, agent.id)) {
            const Fields fields{{"agent", agent.name},
                                {"id", artifact.artifact_id},
                                {"kind", artifact.kind},
                                {"name", artifact.name},
                                {"description", artifact.description},
                                {"mime_type", artifact.mime_type},
                                {"status", artifact.status},
                                {"version", artifact.version},
                                {"size_bytes", artifact.size_bytes},
                                {"path", artifact.path},
                                {"turn_id", cli::number(artifact.turn_id, 0)},
                                {"created_at", Time{artifact.created_at}},
                                {"updated_at", Time{artifact.updated_at}}};
            std::cout << table.line(fields, form) << '\n';
        }
    }
};

}  // namespace

const cli::Verb artifacts_verb =
    verb<Artifacts>("artifacts", "list the artifacts of an agent", json_lines);

}  // namespace chorus::command
