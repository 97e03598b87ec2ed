#include <iostream>

#include "agent/pack.hpp"
#include "chorus-context/verb.hpp"
#include "context/export.hpp"
#include "context/find_thread.hpp"
#include "context/import.hpp"
#include "sys/clock.hpp"
#include "sys/signals.hpp"

namespace chorus::context_command {
namespace {

struct Options {
    Named named;
    Output output;
    bool json = false;
};

void print(std::ostream& out, const Options& options, const agent::Packed& packed,
           std::size_t messages) {
    if (!options.json) {
        for (const std::string& name : packed.left_out) notice("not packed: " + one_line(name));
        out << counted(static_cast<std::int64_t>(packed.files), "file") << " packed, "
            << counted(static_cast<std::int64_t>(messages), "message") << '\n';
        return;
    }
    chat::JsonText object = chat::open_object("packed");
    write_text(object, "agent", options.named.name);
    write_text(object, "file", options.output.file);
    object.key("files").number(static_cast<std::int64_t>(packed.files));
    object.key("messages").number(static_cast<std::int64_t>(messages));
    chat::write_texts(object, "left_out", packed.left_out);
    out << object.end_object().text() << '\n';
}

base::ExitStatus run(const Options& options, Opened& opened) {
    const sys::OutputFile file = output_file(opened, options.output);
    const sys::Interrupt& interrupt = sys::Interrupt::install();
    const life::HeldAgent held = hold_agent(opened, options.named, sys::Lock::Mode::exclusive);
    const agent::Directory directory(opened.home.path() + "/" + held.agent.dir);
    context::ExportRecord record = context::load_record(*opened.store, held.agent, {});
    record.current_branch = context::current_branch(directory);
    const agent::Packed packed =
        agent::pack(directory.path(),
                    {{std::string(context::packed_name), context::to_jsonl(record, sys::now_ms())}},
                    file, [&interrupt] {
                        if (interrupt.requested())
                            throw base::Error(base::ErrorCode::canceled, "interrupted");
                    });
    print(file.is_stdout() ? std::cerr : std::cout, options, packed, record.messages.size());
    return base::ExitStatus::done;
}

}  // namespace

Action add_pack(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    add_name_and_wait(verb, options->named);
    verb.option("-o,--output FILE", options->output.file,
                "tar archive to write, compressed by ending: .gz .bz2 .xz .zst")
        .required();
    add_force(verb, options->output);
    verb.flag("--json", options->json, "print one JSON object");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
