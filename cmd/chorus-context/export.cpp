#include "context/export.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "base/text.hpp"
#include "chorus-context/verb.hpp"
#include "cli/time_text.hpp"
#include "context/saved.hpp"
#include "place/place.hpp"
#include "place/secrets.hpp"
#include "sys/clock.hpp"
#include "sys/signals.hpp"

namespace chorus::context_command {
namespace {

using base::Error;
using base::ErrorCode;
using context::ExportRecord;

struct Options {
    Named named;
    std::string format;
    Output output;
    std::string thread;
    std::string session;
    std::string since;
    std::string until;
};

constexpr std::array formats{"md", "html", "json", "jsonl"};

// Returns --format, else the format of the file name's ending, else Markdown.
std::string format_of(const Options& options) {
    if (!options.format.empty()) return options.format;
    const std::string& file = options.output.file;
    const std::string ending = std::filesystem::path(file).extension();
    if (ending.empty()) return "md";
    if (std::find(formats.begin(), formats.end(), ending.substr(1)) != formats.end())
        return ending.substr(1);
    throw Error(ErrorCode::bad_request,
                base::quoted(file) + ": unknown ending of an export: " + base::quoted(ending),
                "use .md, .html, .json or .jsonl, or --format");
}

ExportRecord load(const Options& options, Opened& opened, const store::Agent& agent) {
    if (!options.session.empty())
        return context::session_record(*opened.store, opened.home, agent, options.session);
    store::Extent extent;
    if (!options.thread.empty()) extent.thread = require_thread(opened, agent, options.thread).id;
    if (!options.since.empty()) extent.since = cli::require_time(options.since, "--since");
    if (!options.until.empty()) extent.until = cli::require_time(options.until, "--until");
    return context::load_record(*opened.store, agent, extent);
}

bool is_everything(const Options& options) {
    return options.thread.empty() && options.session.empty() && options.since.empty() &&
           options.until.empty();
}

std::string render(const std::string& format, const Options& options, Opened& opened,
                   ExportRecord& record) {
    const base::TimeMs now = sys::now_ms();
    if (format == "json") return context::to_json(record, now);
    if (format == "jsonl") {
        if (is_everything(options)) context::add_sessions(record, *opened.store, opened.home);
        for (const std::string& id : record.lost_sessions)
            notice("session " + one_line(id) + ": its file cannot be read, it is not exported");
        return context::to_jsonl(record, now);
    }
    context::redact(record, place::secrets_of(opened.home, opened.environment));
    return format == "html" ? context::to_html(record) : context::to_markdown(record);
}

base::ExitStatus run(const Options& options, Opened& opened) {
    const std::string format = format_of(options);
    std::optional<sys::OutputFile> file;
    if (!options.output.file.empty()) file = output_file(opened, options.output);
    ExportRecord record = load(options, opened, require_agent(opened, options.named));
    const std::string text = render(format, options, opened, record);
    // makes SIGXFSZ an error of write(2)
    const sys::Interrupt& interrupt = sys::Interrupt::install();
    if (file)
        file->write(text, [&interrupt] { return interrupt.requested(); });
    else
        std::cout << text;
    return base::ExitStatus::done;
}

}  // namespace

Action add_export(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    add_name(verb, options->named);
    verb.option("--format FORMAT", options->format,
                "md, html, json or jsonl (default: by FILE's ending, or md)")
        .one_of(std::vector<std::string>(formats.begin(), formats.end()));
    verb.option("-o,--output FILE", options->output.file, "write to FILE, whole or not at all");
    add_force(verb, options->output);
    verb.option("-t,--thread THREAD", options->thread,
                "only this thread: main, a number or a branch");
    verb.option("--session ID", options->session, "export a saved session, by the start of its id");
    verb.option("--since TIME", options->since, "only from TIME on");
    verb.option("--until TIME", options->until, "only before TIME");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
