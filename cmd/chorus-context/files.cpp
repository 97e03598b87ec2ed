// Verbs that write files or read them: transcripts, archives, backups.
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>

#include "agent/own_places.hpp"
#include "agent/pack.hpp"
#include "base/text.hpp"
#include "chorus-context/reading.hpp"
#include "chorus-context/verbs.hpp"
#include "command/verb.hpp"
#include "context/export.hpp"
#include "context/find_thread.hpp"
#include "context/import.hpp"
#include "context/session_record.hpp"
#include "life/deciders.hpp"
#include "life/opening.hpp"
#include "place/place.hpp"
#include "place/secrets.hpp"
#include "store/backup.hpp"
#include "sys/clock.hpp"
#include "sys/input_file.hpp"
#include "sys/output_file.hpp"
#include "sys/signals.hpp"

namespace chorus::command {
namespace {

// A file to write, and whether an existing one may be replaced.
struct Output {
    void add_force(cli::Command& verb) { verb.flag("--force", force, "replace an existing file"); }
    // Error(exists) if it exists without --force, Error(bad_request) if it is in the home.
    sys::OutputFile open(const Begun& begun) const {
        return sys::OutputFile(file, force ? sys::Overwrite::allow : sys::Overwrite::refuse,
                               agent::refuse_own_places(begun.home));
    }
    std::string file;
    bool force = false;
};

// Says what was written; on stderr if that went to stdout.
ExitStatus print_beside(const sys::OutputFile& file, const std::string& line) {
    (file.is_stdout() ? std::cerr : std::cout) << line << '\n';
    return ExitStatus::done;
}

struct Export : Named {
    static constexpr std::array formats{"md", "html", "json", "jsonl"};

    explicit Export(cli::Command& verb) : Named(verb) {
        verb.option("--format FORMAT", format,
                    "md, html, json or jsonl (default: by FILE's ending, or md)")
            .one_of(std::vector<std::string>(formats.begin(), formats.end()));
        verb.option("-o,--output FILE", output.file, "write to FILE, whole or not at all");
        output.add_force(verb);
        verb.option("-t,--thread THREAD", thread, "only this thread: main, a number or a branch");
        verb.option("--session ID", session, "export a saved session, by the start of its id");
        span.add(verb);
    }

    // Returns --format, else the format of the file name's ending, else Markdown.
    std::string wanted_format() const {
        if (!format.empty()) return format;
        const std::string ending = std::filesystem::path(output.file).extension();
        if (ending.empty()) return "md";
        if (std::find(formats.begin(), formats.end(), ending.substr(1)) != formats.end())
            return ending.substr(1);
        throw Error(
            ErrorCode::bad_request,
            base::quoted(output.file) + ": unknown ending of an export: " + base::quoted(ending),
            "use .md, .html, .json or .jsonl, or --format");
    }

    context::ExportRecord load(Opened& opened) const {
        const store::Agent agent = require_agent(opened);
        if (!session.empty())
            return context::session_record(opened.store, opened.home, agent, session);
        store::Extent extent;
        if (!thread.empty()) extent.thread = require_thread(opened, agent, thread).id;
        span.limit(extent);
        return context::load_record(opened.store, agent, extent);
    }

    bool is_everything() const {
        return thread.empty() && session.empty() && span.since.empty() && span.until.empty();
    }

    std::string render(const std::string& as, Opened& opened, context::ExportRecord& record) const {
        const base::TimeMs now = sys::now_ms();
        if (as == "json") return context::to_json(record, now);
        if (as == "jsonl") {
            if (is_everything()) context::add_sessions(record, opened.store, opened.home);
            for (const std::string& id : record.lost_sessions)
                notice("session " + one_line(id) + ": its file cannot be read, it is not exported");
            return context::to_jsonl(record, now);
        }
        context::redact(record, place::secrets_of(opened.home, opened.environment));
        return as == "html" ? context::to_html(record) : context::to_markdown(record);
    }

    ExitStatus run(Opened& opened) const {
        const std::string as = wanted_format();
        std::optional<sys::OutputFile> file;
        if (!output.file.empty()) file = output.open(opened);
        context::ExportRecord record = load(opened);
        const std::string text = render(as, opened, record);
        // makes SIGXFSZ an error of write(2)
        const sys::Interrupt& interrupt = sys::Interrupt::install();
        if (file)
            file->write(text, [&interrupt] { return interrupt.requested(); });
        else
            std::cout << text;
        return ExitStatus::done;
    }

    std::string format;
    Output output;
    std::string thread;
    std::string session;
    Span span;
};

struct Import : Holding {
    explicit Import(cli::Command& verb) : Holding(verb) {
        verb.word("FILE", file, "file that export --format jsonl wrote; - for stdin").required();
        verb.flag("--json", json, "print one JSON object");
    }

    ExitStatus run(Opened& opened) const {
        const std::string text = sys::read_input_file(file, context::most_import_bytes);
        const life::HeldAgent held = hold(opened, sys::Lock::Mode::exclusive);
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
        if (json) return ExitStatus::done;
        if (imported.cancelled > 0)
            notice(counted(imported.cancelled, "call") + " had no result: recorded as cancelled");
        if (imported.messages > 0 && !imported.in_window)
            notice(
                "the agent has a conversation of its own: the imported messages are in its "
                "history, not in its context");
        return ExitStatus::done;
    }

    static std::string text_of(const context::Imported& imported) {
        std::string text = counted(imported.messages, "message") + " imported";
        if (imported.known > 0) text += ", " + std::to_string(imported.known) + " already present";
        if (imported.sessions > 0) text += ", " + counted(imported.sessions, "saved session");
        if (imported.queued > 0) text += ", " + counted(imported.queued, "queued message");
        return text;
    }

    std::string file;
    bool json = false;
};

struct Pack : Holding {
    explicit Pack(cli::Command& verb) : Holding(verb) {
        verb.option("-o,--output FILE", output.file,
                    "tar archive to write, compressed by ending: .gz .bz2 .xz .zst")
            .required();
        output.add_force(verb);
        verb.flag("--json", json, "print one JSON object");
    }

    ExitStatus run(Opened& opened) const {
        const sys::OutputFile file = output.open(opened);
        const auto check = interruptible();
        const life::HeldAgent held = hold(opened, sys::Lock::Mode::exclusive);
        const agent::Directory directory = opened.directory(held.agent);
        context::ExportRecord record = context::load_record(opened.store, held.agent, {});
        record.current_branch = context::current_branch(directory);
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
        return print_beside(file, counted(packed.files, "file") + " packed, " +
                                      counted(record.messages.size(), "message"));
    }

    Output output;
    bool json = false;
};

struct Backup {
    explicit Backup(cli::Command& verb) {
        verb.word("FILE", output.file, "the backup to write or restore; - for stdout or stdin")
            .required();
        output.add_force(verb);
        verb.flag("--restore", restore, "replace the database with the backup");
        verb.flag("--json", json, "print one JSON object");
    }

    ExitStatus back_up(const Begun& begun) const {
        store::Store store = open_store(begun);
        const sys::OutputFile file = output.open(begun);
        sys::Interrupt::install();
        const std::int64_t bytes = store::back_up(store, file);
        return print_beside(
            file, json ? cli::json("backup", {{"file", output.file}, {"size_bytes", bytes}})
                       : one_line(output.file) + ": " + std::to_string(bytes) + " bytes");
    }

    // Makes the home if needed: it may have lost its database.
    ExitStatus put_back(const Begun& begun) const {
        life::refuse_from_inside(begun.environment);
        const sys::RegularInput backup(output.file);
        agent::open_home(begun.home, begun.environment, agent::IfMissing::create);
        const auto done = store::put_back(life::database_paths(begun.home), backup);
        const std::string kept =
            done.kept.empty() ? "" : "\nthe previous database is " + one_line(done.kept);
        return cli::print(json, "restored-backup",
                          {{"file", backup.name()},
                           {"agents", done.agents},
                           {"messages", done.messages},
                           {"kept", done.kept}},
                          one_line(backup.name()) + ": restored, " + counted(done.agents, "agent") +
                              ", " + counted(done.messages, "message") + kept);
    }

    ExitStatus run(Begun& begun) const { return restore ? put_back(begun) : back_up(begun); }

    Output output;
    bool restore = false;
    bool json = false;
};

}  // namespace

std::vector<cli::Verb> file_verbs() {
    return {verb<Backup>("backup", "copy the database while it is in use, or restore a copy"),
            verb<Export>("export", "write the conversation as a transcript or as JSON"),
            verb<Import>("import", "import a conversation that export wrote as JSON lines"),
            verb<Pack>("pack", "write an agent to an archive, for another machine")};
}

}  // namespace chorus::command
