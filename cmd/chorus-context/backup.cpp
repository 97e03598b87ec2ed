#include "store/backup.hpp"

#include "chorus-context/output_file.hpp"
#include "chorus-context/verbs.hpp"
#include "life/deciders.hpp"
#include "life/opening.hpp"

namespace chorus::command {
namespace {

struct Backup : Printing {
    explicit Backup(cli::Command& verb) {
        verb.word("FILE", output.file, "the backup to write or restore; - for stdout or stdin")
            .required();
        output.add_force(verb);
        verb.flag("--restore", restore, "replace the database with the backup");
    }

    void back_up(const Begun& begun) const {
        store::Store store = open_store(begun);
        const sys::OutputFile file = output.open(begun);
        const std::int64_t bytes = store::back_up(store, file, interrupted());
        print_beside(file, json
                               ? cli::json("backup", {{"file", output.file}, {"size_bytes", bytes}})
                               : one_line(output.file) + ": " + std::to_string(bytes) + " bytes");
    }

    // Makes the home if needed: it may have lost its database.
    void put_back(const Begun& begun) const {
        life::refuse_from_inside(begun.environment);
        const sys::RegularInput backup(output.file);
        agent::open_home(begun.home, begun.environment, agent::IfMissing::create);
        const auto done = store::put_back(life::database_paths(begun.home), backup, interrupted());
        const std::string kept =
            done.kept.empty() ? "" : "\nthe previous database is " + one_line(done.kept);
        cli::print(json, "restored-backup",
                   {{"file", backup.name()},
                    {"agents", done.agents},
                    {"messages", done.messages},
                    {"kept", done.kept}},
                   one_line(backup.name()) + ": restored, " + counted(done.agents, "agent") + ", " +
                       counted(done.messages, "message") + kept);
    }

    void run(Begun& begun) const { return restore ? put_back(begun) : back_up(begun); }

    Output output;
    bool restore = false;
};

}  // namespace

const cli::Verb backup_verb =
    verb<Backup>("backup", "copy the database while it is in use, or restore a copy", json_object);

}  // namespace chorus::command
