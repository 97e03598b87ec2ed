#include "store/backup.hpp"

#include <iostream>

#include "agent/home.hpp"
#include "base/text.hpp"
#include "chorus-context/reading.hpp"
#include "chorus-context/verb.hpp"
#include "life/deciders.hpp"
#include "life/opening.hpp"
#include "sys/named_file.hpp"
#include "sys/signals.hpp"

namespace chorus::context_command {
namespace {

struct Options {
    Output output;
    bool restore = false;
    bool json = false;
};

base::ExitStatus back_up(const Options& options, const Opened& opened) {
    store::Store store = life::open_home(opened.home, opened.environment, agent::IfMissing::refuse,
                                         agent::groom_in_force("", opened.environment));
    const sys::OutputFile file = output_file(opened, options.output);
    sys::Interrupt::install();
    const std::int64_t bytes = store::back_up(store, file);
    std::ostream& told = file.is_stdout() ? std::cerr : std::cout;
    if (options.json) {
        chat::JsonText out = chat::open_object("backup");
        write_text(out, "file", options.output.file);
        told << out.key("size_bytes").number(bytes).end_object().text() << '\n';
    } else {
        told << one_line(options.output.file) << ": " << bytes << " bytes\n";
    }
    return base::ExitStatus::done;
}

// Makes the home if needed: it may have lost its database.
base::ExitStatus put_back(const Options& options, const Opened& opened) {
    life::refuse_from_inside(opened.environment);
    const sys::RegularInput backup(options.output.file);
    agent::open_home(opened.home, opened.environment, agent::IfMissing::create);
    const auto done = store::put_back(life::database_paths(opened.home), backup);
    if (options.json) {
        chat::JsonText out = chat::open_object("restored-backup");
        write_text(out, "file", backup.name());
        out.key("agents").number(done.agents).key("messages").number(done.messages);
        write_text(out, "kept", done.kept);
        std::cout << out.end_object().text() << '\n';
        return base::ExitStatus::done;
    }
    std::cout << one_line(backup.name()) << ": restored, " << counted(done.agents, "agent") << ", "
              << counted(done.messages, "message") << '\n';
    if (!done.kept.empty()) std::cout << "the previous database is " << one_line(done.kept) << '\n';
    return base::ExitStatus::done;
}

}  // namespace

Action add_backup(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    verb.word("FILE", options->output.file, "the backup to write or restore; - for stdout or stdin")
        .required();
    add_force(verb, options->output);
    verb.flag("--restore", options->restore, "replace the database with the backup");
    verb.flag("--json", options->json, "print one JSON object");
    return [options](Opened& opened) {
        return options->restore ? put_back(*options, opened) : back_up(*options, opened);
    };
}

}  // namespace chorus::context_command
