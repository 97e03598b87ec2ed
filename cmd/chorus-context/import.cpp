#include "context/import.hpp"

#include <iostream>

#include "base/text.hpp"
#include "chorus-context/verb.hpp"
#include "place/secrets.hpp"
#include "sys/named_file.hpp"

namespace chorus::context_command {
namespace {

struct Options {
    Named named;
    std::string file;
    bool json = false;
};

void print_json(const std::string& agent, const context::Imported& imported) {
    chat::JsonText out = chat::open_object("imported");
    write_text(out, "agent", agent);
    out.key("messages").number(static_cast<std::int64_t>(imported.messages));
    out.key("known").number(static_cast<std::int64_t>(imported.known));
    out.key("sessions").number(static_cast<std::int64_t>(imported.sessions));
    out.key("queued").number(static_cast<std::int64_t>(imported.queued));
    out.key("canceled").number(static_cast<std::int64_t>(imported.cancelled));
    out.key("in_window").boolean(imported.in_window);
    std::cout << out.end_object().text() << '\n';
}

void print(const context::Imported& imported) {
    std::cout << counted(imported.messages, "message") << " imported";
    if (imported.known > 0) std::cout << ", " << imported.known << " already present";
    if (imported.sessions > 0) std::cout << ", " << counted(imported.sessions, "saved session");
    if (imported.queued > 0) std::cout << ", " << counted(imported.queued, "queued message");
    std::cout << '\n';
    if (imported.cancelled > 0)
        notice(counted(imported.cancelled, "call") + " had no result: recorded as cancelled");
    if (imported.messages > 0 && !imported.in_window)
        notice(
            "the agent has a conversation of its own: the imported messages are in its history, "
            "not in its context");
}

base::ExitStatus run(const Options& options, Opened& opened) {
    const std::string text = sys::read_input_file(options.file, context::most_import_bytes);
    const life::HeldAgent held = hold_agent(opened, options.named, sys::Lock::Mode::exclusive);
    const policy::Redaction secrets = place::secrets_of(opened.home, opened.environment);
    const auto imported =
        context::import_record(*opened.store, opened.home, held.agent, secrets.without_active(text),
                               sys::input_name(options.file));
    if (options.json)
        print_json(held.agent.name, imported);
    else
        print(imported);
    return base::ExitStatus::done;
}

}  // namespace

Action add_import(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    add_name_and_wait(verb, options->named);
    verb.word("FILE", options->file, "file that export --format jsonl wrote; - for stdin")
        .required();
    verb.flag("--json", options->json, "print one JSON object");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
