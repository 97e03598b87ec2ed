#include "store/artifacts.hpp"

#include <iostream>

#include "chorus-context/reading.hpp"
#include "chorus-context/verb.hpp"
#include "cli/time_text.hpp"

namespace chorus::context_command {
namespace {

using store::Artifact;

struct Options {
    std::string agent;
    bool json = false;
};

void print_json(const Artifact& artifact, const std::string& agent) {
    chat::JsonText out = chat::open_object("artifact");
    write_text(out, "agent", agent);
    write_text(out, "id", artifact.artifact_id);
    write_text(out, "kind", artifact.kind);
    write_text(out, "name", artifact.name);
    write_text(out, "description", artifact.description);
    write_text(out, "mime_type", artifact.mime_type);
    write_text(out, "status", artifact.status);
    out.key("version").number(artifact.version).key("size_bytes").number(artifact.size_bytes);
    write_text(out, "path", artifact.path);
    write_number(out, "turn_id", artifact.turn_id, 0);
    write_time(out, "created_at", artifact.created_at);
    write_time(out, "updated_at", artifact.updated_at);
    std::cout << out.end_object().text() << '\n';
}

base::ExitStatus run(const Options& options, Opened& opened) {
    const store::Agent agent = life::require_known(*opened.store, options.agent);
    const Columns columns({16, 8, -10, 14, 16});
    for (const Artifact& artifact : store::list_artifacts(*opened.store, agent.id)) {
        if (options.json)
            print_json(artifact, agent.name);
        else
            columns.print({one_line(artifact.artifact_id), one_line(artifact.kind),
                           std::to_string(artifact.size_bytes),
                           cli::shown_time(artifact.created_at), one_line(artifact.name),
                           one_line(artifact.path)});
    }
    return base::ExitStatus::done;
}

}  // namespace

Action add_artifacts(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    verb.word("NAME", options->agent, "the agent, also a destroyed one").required();
    verb.flag("--json", options->json, "print one JSON object per line");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
