#include "context/export.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>

#include "base/text.hpp"
#include "chorus-context/output_file.hpp"
#include "chorus-context/reading.hpp"
#include "chorus-context/verbs.hpp"
#include "context/saved.hpp"
#include "place/secrets.hpp"
#include "sys/clock.hpp"
#include "sys/signals.hpp"

namespace chorus::command {
namespace {

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
        return context::load_record(opened.store, agent, filter_of(opened, agent));
    }

    store::MessageFilter filter_of(Opened& opened, const store::Agent& agent) const {
        store::MessageFilter filter;
        if (!thread.empty()) filter.thread = require_thread(opened, agent, thread).id;
        span.limit(filter);
        return filter;
    }

    bool is_everything() const {
        return thread.empty() && session.empty() && span.since.empty() && span.until.empty();
    }

    std::string render(const std::string& as, Opened& opened, context::ExportRecord& record) const {
        const base::TimeMs now = sys::now_ms();
        if (as == "json") return context::to_json(record, now);
        if (as == "jsonl") {
            context::add_attachments(record, opened.store);
            if (is_everything()) context::add_sessions(record, opened.store, opened.home);
            for (const std::string& id : record.lost_sessions)
                notice("session " + one_line(id) + ": its file cannot be read, it is not exported");
            return context::to_jsonl(record, now);
        }
        if (as == "html" && session.empty())
            context::add_sub_agents(record, opened.store, filter_of(opened, record.agent));
        context::redact(record, place::secrets_of(opened.home, opened.environment));
        return as == "html" ? context::to_html(record) : context::to_markdown(record);
    }

    void run(Opened& opened) const {
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
    }

    std::string format;
    Output output;
    std::string thread;
    std::string session;
    Span span;
};

}  // namespace

const cli::Verb export_verb =
    verb<Export>("export", "write the conversation as a transcript or as JSON");

}  // namespace chorus::command
