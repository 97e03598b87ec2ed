#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "base/text.hpp"
#include "chorus-context/output_file.hpp"
#include "chorus-context/verbs.hpp"
#include "store/artifacts.hpp"
#include "sys/beneath.hpp"
#include "sys/file.hpp"
#include "sys/signals.hpp"

namespace chorus::command {
namespace {

using cli::Fit;

constexpr std::size_t most_bytes = 1U << 30;

struct Artifacts : Named {
    explicit Artifacts(cli::Command& verb) : Named(verb, "the agent, also a destroyed one") {
        verb.word("ID", id, "print this artifact's content");
        verb.option("-o,--output FILE", output.file, "write the content to FILE");
        output.add_force(verb);
        verb.flag("--all", all, "list archived ones too");
    }

    void run(Opened& opened) const {
        const store::Agent agent = life::require_known(opened.home, opened.store, name);
        if (id) return print_content(opened, agent);
        if (!output.file.empty())
            throw Error(ErrorCode::bad_request, "usage: --output: needs the ID of an artifact",
                        "chorus-context artifacts " + agent.name + " ID -o FILE");
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
            if (artifact.is_archived() && !all) continue;
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

    void print_content(Opened& opened, const store::Agent& agent) const {
        const auto known = store::list_artifacts(opened.store, agent.id);
        const auto found =
            std::find_if(known.begin(), known.end(),
                         [&](const store::Artifact& one) { return one.artifact_id == *id; });
        if (found == known.end())
            throw Error(ErrorCode::not_found,
                        "artifact " + base::quoted(*id) + ": agent '" + agent.name +
                            "' has none of that id",
                        "chorus-context artifacts " + agent.name + " lists them");
        std::optional<sys::OutputFile> file;
        if (!output.file.empty()) file = output.open(opened);
        std::string text;
        std::string problem;
        const std::string directory = opened.home.directory(agent.dir).path();
        if (!sys::is_directory(directory) ||
            !sys::Root(directory).read_file(found->path, most_bytes, text, problem))
            throw Error(ErrorCode::failed, "artifact " + base::quoted(*id) + ": " +
                                               (problem.empty() ? "its file is gone" : problem));
        const sys::Interrupt& interrupt = sys::Interrupt::install();
        if (file)
            file->write(text, [&interrupt] { return interrupt.requested(); });
        else
            std::cout << (isatty(STDOUT_FILENO) == 1 ? base::visible(text) : text);
    }

    std::optional<std::string> id;
    Output output;
    bool all = false;
};

}  // namespace

const cli::Verb artifacts_verb =
    verb<Artifacts>("artifacts", "list the artifacts of an agent, or print one", json_lines);

}  // namespace chorus::command
