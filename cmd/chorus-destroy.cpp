#include <iostream>

#include "base/id.hpp"
#include "base/text.hpp"
#include "chat/dialect.hpp"
#include "cli/field.hpp"
#include "cli/main.hpp"
#include "cli/terminal_question.hpp"
#include "context/saved.hpp"
#include "life/deciders.hpp"
#include "life/find_agent.hpp"
#include "life/here.hpp"
#include "life/leftovers.hpp"
#include "life/opening.hpp"
#include "model/choice.hpp"
#include "place/secrets.hpp"
#include "store/tasks.hpp"
#include "upkeep/destroy.hpp"

namespace {

using namespace chorus;
using base::Error;
using base::ErrorCode;
using base::ExitStatus;
using life::Files;

constexpr const char* program = "chorus-destroy";
constexpr std::int64_t ask_ms = 24LL * 60 * 60 * 1000;

struct Options {
    std::string name;
    bool keep_files = false;
    bool purge = false;
    bool yes = false;
    bool json = false;
    Files files() const {
        return keep_files ? Files::kept : purge ? Files::purged : Files::archived;
    }
};

void notice(const std::string& what) {
    cli::print_line(program, "notice", what);
}

std::string archive_of(const agent::Home& home, const store::Agent& agent) {
    return home.archived_sessions(agent.name, agent.generation);
}

// Says what is ended, deleted and kept, and asks for the name.
std::string question(const agent::Home& home, store::Store& store, const store::Agent& agent,
                     Files files) {
    std::string text = "\nAgent " + agent.name + ": ";
    text += cli::counted(store::list_sessions(store, agent.id).size(), "saved session");
    if (const auto turns = store::open_turns(store, agent.id).size(); turns > 0)
        text += ", " + cli::counted(turns, "turn") + " not ended";
    if (const auto tasks = store::running_tasks(store, agent.id).size(); tasks > 0)
        text += ", " + cli::counted(tasks, "task") + " running";
    const std::string directory = home.agent(agent.name);
    text += ".\n";
    if (files == Files::kept) text += "Its files stay in " + directory + ".\n";
    if (files != Files::kept) text += directory + " is deleted, with its workspace.\n";
    if (files == Files::archived)
        text += "Its sessions are moved to " + archive_of(home, agent) + ".\n";
    if (files == Files::purged) text += "Its sessions are deleted too.\n";
    return base::visible(text) + "To destroy it, type its name.\n";
}

void confirm(const agent::Home& home, store::Store& store, const store::Agent& agent,
             const Options& options, const sys::Interrupt& interrupt) {
    if (options.yes) return;
    if (!cli::can_ask())
        throw Error(ErrorCode::bad_request,
                    "agent '" + agent.name + "': no terminal to ask for its name",
                    "--yes destroys it without asking");
    std::string typed;
    cli::ask_line(
        question(home, store, agent, options.files()), ask_ms,
        [&interrupt] { return interrupt.requested(); },
        [&](const std::string& line) -> std::string {
            typed = line;
            return line == agent.name ? "" : "that is not its name";
        });
    if (interrupt.requested()) throw Error(ErrorCode::canceled, "interrupted: nothing has changed");
    if (typed != agent.name)
        throw Error(ErrorCode::denied,
                    "agent '" + agent.name + "': its name was not typed, nothing has changed");
}

void print_json(const upkeep::Destroyed& done, const agent::Home& home) {
    const bool kept = done.agent.files_kept;
    chat::JsonText out = chat::open_object("destroyed");
    write_text(out, "agent", done.agent.name);
    out.key("generation").number(done.agent.generation);
    write_time(out, "destroyed_at", done.agent.destroyed_at);
    out.key("by_another").boolean(done.by_another).key("files_kept").boolean(kept);
    write_text(out, "directory", kept ? home.agent(done.agent.name) : "");
    write_text(out, "archive", !kept && done.sessions > 0 ? archive_of(home, done.agent) : "");
    out.key("sessions").number(static_cast<std::int64_t>(done.sessions));
    write_text(out, "session", done.session ? done.session->id : "");
    out.key("turns").number(static_cast<std::int64_t>(done.turns));
    out.key("tasks").number(static_cast<std::int64_t>(done.tasks));
    out.key("pending").number(done.prompts).key("messages").number(done.messages);
    std::cout << out.end_object().text() << '\n';
}

void print_text(const upkeep::Destroyed& done, const agent::Home& home) {
    std::cout << "Agent " << done.agent.name
              << (done.by_another ? " was destroyed by another process.\n" : " destroyed.\n");
    if (done.by_another) return;
    std::vector<std::string> ended;
    const auto add = [&ended](std::int64_t count, const char* what) {
        if (count > 0) ended.push_back(cli::counted(count, what));
    };
    add(static_cast<std::int64_t>(done.turns), "turn");
    add(static_cast<std::int64_t>(done.tasks), "task");
    add(done.prompts, "pending question");
    add(done.messages, "queued message");
    if (!ended.empty()) std::cout << "Ended: " << base::join(ended, ", ") << ".\n";
    if (done.session)
        std::cout << "Saved: session " << context::short_id(done.session->id) << ": "
                  << base::visible(done.session->description, base::Newlines::escape) << '\n';
    if (done.agent.files_kept)
        std::cout << "Its files: " << home.agent(done.agent.name) << '\n';
    else if (done.sessions > 0)
        std::cout << "Its sessions: " << archive_of(home, done.agent) << '\n';
}

// Finishes a run that was killed after the agent was destroyed and before its files were removed.
std::optional<upkeep::Destroyed> finish_remains(const agent::Home& home, store::Store& store,
                                                const std::string& name) {
    if (store::find_agent(store, name) || !life::has_remains(home, name)) return std::nullopt;
    life::reclaim_leftovers(home, store);
    const auto generations = store::list_generations(store, name);
    if (generations.empty() || life::has_remains(home, name)) return std::nullopt;
    return upkeep::Destroyed{.agent = generations.front(), .by_another = true};
}

ExitStatus run(const Options& options) {
    const sys::Environment environment = model::take_environment();
    const agent::Home home = agent::find_home(environment);
    store::Store store = life::open_home(home, environment, agent::IfMissing::refuse,
                                         agent::groom_in_force("", environment));
    life::refuse_from_inside(store, environment);
    const bool may_have_been = base::is_agent_name(options.name);
    if (const auto done =
            may_have_been ? finish_remains(home, store, options.name) : std::nullopt) {
        if (options.json)
            print_json(*done, home);
        else
            std::cout << "Agent " << options.name
                      << " was destroyed; its remaining files were removed.\n";
        return ExitStatus::done;
    }
    const store::Agent agent = life::require_destroyable(home, store, options.name);
    life::check_removable(home, agent, options.files());
    const sys::Interrupt& interrupt = sys::Interrupt::install();
    confirm(home, store, agent, options, interrupt);
    const upkeep::Destroyed done =
        upkeep::destroy(store, agent, options.files(),
                        {.home = home,
                         .environment = environment,
                         .interrupt = interrupt,
                         .on_event = [](const chat::Event&, const chat::EventSource&) {},
                         .warn = notice,
                         .ask = {}});
    if (options.json)
        print_json(done, home);
    else
        print_text(done, home);
    return ExitStatus::done;
}

void add_options(cli::Command& app, Options& options) {
    app.word("NAME", options.name, "the agent").required();
    app.flag("--keep-files", options.keep_files, "keep its directory");
    app.flag("--purge", options.purge, "delete its sessions too");
    app.flag("--yes", options.yes, "do not ask for confirmation");
    app.flag("--json", options.json, "print one JSON object");
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    return cli::run_main(
        argc, argv,
        {.name = program,
         .description = "Destroy an agent: end its turns and tasks, delete its directory.",
         .options =
             [&options](cli::Command& app) {
                 add_options(app, options);
                 return [&options] { return run(options); };
             },
         .agent_here = life::name_here,
         .redact = place::redacted});
}
