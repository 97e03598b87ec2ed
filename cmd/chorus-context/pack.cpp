#include <iostream>

#include "agent/pack.hpp"
#include "chorus-context/verb.hpp"
#include "context/export.hpp"
#include "context/import.hpp"
#include "context/threads.hpp"
#include "sys/clock.hpp"
#include "sys/signals.hpp"

namespace chorus::context_command {
namespace {

struct Options {
    Named named;
    Output output;
};

base::ExitStatus run(const Options& options, Opened& opened) {
    const sys::OutputFile file = output_file(opened, options.output);
    const sys::Interrupt& interrupt = sys::Interrupt::install();
    const life::HeldAgent held = hold_agent(opened, options.named, sys::Lock::Mode::exclusive);
    const agent::Directory directory(opened.home.path() + "/" + held.agent.dir);
    context::Record record = context::load_record(*opened.store, held.agent, {});
    record.current_branch = context::current_branch(directory);
    const agent::Packed packed =
        agent::pack(directory.path(),
                    {{std::string(context::packed_name), context::to_jsonl(record, sys::now_ms())}},
                    file, [&interrupt] {
                        if (interrupt.requested())
                            throw base::Error(base::ErrorCode::canceled, "interrupted");
                    });
    for (const std::string& name : packed.left_out) notice("not packed: " + one_line(name));
    (file.is_stdout() ? std::cerr : std::cout)
        << packed.files << (packed.files == 1 ? " file" : " files") << " packed, "
        << record.messages.size() << (record.messages.size() == 1 ? " message" : " messages")
        << '\n';
    return base::ExitStatus::done;
}

}  // namespace

Action add_pack(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    add_name_and_wait(verb, options->named);
    verb.option("-o,--output", options->output.file,
                "the archive: tar, compressed as its name ends (.gz, .bz2, .xz, .zst)")
        .type("FILE")
        .required();
    add_force(verb, options->output);
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
