#include "context/import.hpp"

#include "chorus-context/verbs.hpp"
#include "place/secrets.hpp"
#include "sys/named_file.hpp"

namespace chorus::command {
namespace {

struct Import : Holding {
    explicit Import(cli::Command& verb) : Holding(verb) {
        verb.word("FILE", file,
                  "file that export --format jsonl wrote, or a session.md; - for stdin")
            .required();
    }

    void run(Opened& opened) const {
        const std::string text = sys::read_input_file(file, context::most_import_bytes);
        const life::HeldAgent held = hold(opened, sys::Lock::Mode::exclusive);
        opened.store.stop_when(interrupted());
        const policy::Redaction secrets = place::secrets_of(opened.home, opened.environment);
        const auto imported =
            context::import_record(opened.store, opened.home, held.agent,
                                   secrets.without_active(text), sys::input_name(file));
        cli::print(json, "imported",
                   {{"agent", held.agent.name},
                    {"messages", imported.messages},
                    {"known", imported.known},
                    {"sessions", imported.sessions},
                    {"queued", imported.queued},
                    {"canceled", imported.cancelled},
                    {"in_window", imported.in_window}},
                   text_of(imported));
        if (json) return;
        if (imported.cancelled > 0)
            notice(counted(imported.cancelled, "call") + " had no result: recorded as cancelled");
        if (imported.messages > 0 && !imported.in_window)
            notice(
                "the agent has a conversation of its own: the imported messages are in its "
                "history, not in its context");
    }

    static std::string text_of(const context::Imported& imported) {
        std::string text = counted(imported.messages, "message") + " imported";
        if (imported.known > 0) text += ", " + std::to_string(imported.known) + " already present";
        if (imported.sessions > 0) text += ", " + counted(imported.sessions, "saved session");
        if (imported.queued > 0) text += ", " + counted(imported.queued, "queued message");
        return text;
    }

    std::string file;
};

}  // namespace

const cli::Verb import_verb =
    verb<Import>("import", "import a conversation that export wrote as JSON lines", json_object);

}  // namespace chorus::command
