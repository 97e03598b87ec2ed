#include "agent/pack.hpp"

#include "chorus-context/output_file.hpp"
#include "chorus-context/verbs.hpp"
#include "context/export.hpp"
#include "context/find_thread.hpp"
#include "context/import.hpp"
#include "sys/clock.hpp"

namespace chorus::command {
namespace {

struct Pack : Holding {
    explicit Pack(cli::Command& verb) : Holding(verb) {
        verb.option("-o,--output FILE", output.file,
                    "tar archive to write, compressed by ending: .gz .bz2 .xz .zst")
            .required();
        output.add_force(verb);
    }

    void run(Opened& opened) const {
        const sys::OutputFile file = output.open(opened);
        const auto check = interruptible();
        const life::HeldAgent held = hold(opened, sys::Lock::Mode::exclusive);
        const agent::Directory directory = opened.home.directory(held.agent.dir);
        context::ExportRecord record = context::load_record(opened.store, held.agent, {});
        record.current_branch = agent::current_branch(directory);
        context::add_attachments(record, opened.store);
        const agent::Packed packed = agent::pack(
            directory.path(),
            {{std::string(context::packed_name), context::to_jsonl(record, sys::now_ms())}}, file,
            check);
        if (json)
            return print_beside(file, cli::json("packed", {{"agent", name},
                                                           {"file", output.file},
                                                           {"files", packed.files},
                                                           {"messages", record.messages.size()},
                                                           {"left_out", packed.left_out}}));
        for (const std::string& left : packed.left_out) notice("not packed: " + one_line(left));
        print_beside(file, counted(packed.files, "file") + " packed, " +
                               counted(record.messages.size(), "message"));
    }

    Output output;
};

}  // namespace

const cli::Verb pack_verb =
    verb<Pack>("pack", "write an agent to an archive, for another machine", json_object);

}  // namespace chorus::command
