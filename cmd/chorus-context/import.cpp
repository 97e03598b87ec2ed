#include "context/import.hpp"

#include <iostream>

#include "base/text.hpp"
#include "chorus-context/verb.hpp"
#include "sys/input_file.hpp"
#include "turn/secrets.hpp"

namespace chorus::context_command {
namespace {

struct Options {
    Named named;
    std::string file;
};

void print(const context::Imported& imported) {
    std::cout << counted(imported.messages, "message") << " imported";
    if (imported.known > 0) std::cout << ", " << imported.known << " there already";
    if (imported.sessions > 0) std::cout << ", " << counted(imported.sessions, "saved session");
    std::cout << '\n';
    if (imported.cancelled > 0)
        notice(counted(imported.cancelled, "call") + " had no result, and got one: cancelled");
    if (imported.messages > 0 && !imported.in_window)
        notice(
            "the agent has said things of its own: what was imported is in its history, not in "
            "its context");
}

base::ExitStatus run(const Options& options, Opened& opened) {
    const std::string text = sys::read_input_file(options.file, context::most_import_bytes);
    const life::HeldAgent held = hold_agent(opened, options.named, sys::Lock::Mode::exclusive);
    const policy::Redaction secrets = turn::secrets_of(opened.home, opened.environment);
    print(context::import_record(*opened.store, opened.home, held.agent,
                                 secrets.without_active(text), sys::input_name(options.file)));
    return base::ExitStatus::done;
}

}  // namespace

Action add_import(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    add_name_and_wait(verb, options->named);
    verb.word("FILE", options->file, "what export --format jsonl wrote; - for stdin").required();
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
