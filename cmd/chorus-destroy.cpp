
#include "base/id.hpp"
#include "base/text.hpp"
#include "cli/terminal_question.hpp"
#include "command/verb.hpp"
#include "context/saved.hpp"
#include "life/deciders.hpp"
#include "life/leftovers.hpp"
#include "store/tasks.hpp"
#include "upkeep/destroy.hpp"

namespace chorus::command {
namespace {

using life::Files;

constexpr std::int64_t ask_ms = 24LL * 60 * 60 * 1000;

std::string archive_of(const agent::Home& home, const store::Agent& agent) {
    return home.archived_sessions(agent.name, agent.generation);
}

// Says what is ended, deleted and kept, and asks for the name.
std::string question(const agent::Home& home, store::Store& store, const store::Agent& agent,
                     Files files) {
    std::string text = "\nAgent " + agent.name + ": ";
    text += counted(store::list_sessions(store, agent.id).size(), "saved session");
    if (const auto turns = store::open_turns(store, agent.id).size(); turns > 0)
        text += ", " + counted(turns, "turn") + " not ended";
    if (const auto tasks = store::running_tasks(store, agent.id).size(); tasks > 0)
        text += ", " + counted(tasks, "task") + " running";
    const std::string directory = home.agent(agent.name);
    text += ".\n";
    if (files == Files::kept) text += "Its files stay in " + directory + ".\n";
    if (files != Files::kept) text += directory + " is deleted, with its workspace.\n";
    if (files == Files::archived)
        text += "Its sessions are moved to " + archive_of(home, agent) + ".\n";
    if (files == Files::purged) text += "Its sessions are deleted too.\n";
    return base::visible(text) + "To destroy it, type its name.\n";
}

// Says what was ended, saved and kept.
std::string text_of(const upkeep::Destroyed& done, const agent::Home& home) {
    if (done.by_another) return "Agent " + done.agent.name + " was destroyed by another process.";
    std::vector<std::string> ended;
    const auto add = [&ended](std::int64_t count, const char* what) {
        if (count > 0) ended.push_back(counted(count, what));
    };
    add(static_cast<std::int64_t>(done.turns), "turn");
    add(static_cast<std::int64_t>(done.tasks), "task");
    add(done.prompts, "pending question");
    add(done.messages, "queued message");
    std::string text = "Agent " + done.agent.name + " destroyed.";
    if (!ended.empty()) text += "\nEnded: " + base::join(ended, ", ") + ".";
    if (done.session)
        text += "\nSaved: session " + context::short_id(done.session->id) + ": " +
                base::visible(done.session->description, base::Newlines::escape);
    if (done.agent.files_kept)
        text += "\nIts files: " + home.agent(done.agent.name);
    else if (done.sessions > 0)
        text += "\nIts sessions: " + archive_of(home, done.agent);
    return text;
}

Fields fields_of(const upkeep::Destroyed& done, const agent::Home& home) {
    const bool kept = done.agent.files_kept;
    return {{"agent", done.agent.name},
            {"generation", done.agent.generation},
            {"destroyed_at", Time{done.agent.destroyed_at}},
            {"by_another", done.by_another},
            {"files_kept", kept},
            {"directory", kept ? home.agent(done.agent.name) : ""},
            {"archive", !kept && done.sessions > 0 ? archive_of(home, done.agent) : ""},
            {"sessions", done.sessions},
            {"session", done.session ? done.session->id : ""},
            {"turns", done.turns},
            {"tasks", done.tasks},
            {"pending", done.prompts},
            {"messages", done.messages}};
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

struct Destroy : Named {
    explicit Destroy(cli::Command& app) : Named(app) {
        app.flag("--keep-files", keep_files, "keep its directory");
        app.flag("--purge", purge, "delete its sessions too");
        app.flag("--yes", yes, "do not ask for confirmation");
    }

    Files files() const {
        return keep_files ? Files::kept : purge ? Files::purged : Files::archived;
    }

    void confirm(Opened& opened, const store::Agent& agent, const sys::Interrupt& interrupt) const {
        if (yes) return;
        if (!cli::can_ask())
            throw Error(ErrorCode::bad_request,
                        "agent '" + name + "': no terminal to ask for its name",
                        "--yes destroys it without asking");
        const auto typed = cli::ask_line(
            question(opened.home, opened.store, agent, files()), ask_ms,
            [&interrupt] { return interrupt.requested(); },
            [&](const std::string& line) { return line == name ? "" : "that is not its name"; });
        if (interrupt.requested())
            throw Error(ErrorCode::canceled, "interrupted: nothing has changed");
        if (!typed)
            throw Error(ErrorCode::denied,
                        "agent '" + name + "': its name was not typed, nothing has changed");
    }

    void run(Opened& opened) const {
        life::refuse_from_inside(opened.store, opened.environment);
        if (base::is_agent_name(name))
            if (const auto done = finish_remains(opened.home, opened.store, name))
                return cli::print(
                    json, "destroyed", fields_of(*done, opened.home),
                    "Agent " + name + " was destroyed; its remaining files were removed.");
        const store::Agent agent = life::require_destroyable(opened.home, opened.store, name);
        life::check_removable(opened.home, agent, files());
        const place::Surroundings surroundings = opened.surroundings();
        confirm(opened, agent, surroundings.interrupt);
        const auto done = upkeep::destroy(opened.store, agent, files(), surroundings);
        cli::print(json, "destroyed", fields_of(done, opened.home), text_of(done, opened.home));
    }

    bool keep_files = false;
    bool purge = false;
    bool yes = false;
};

}  // namespace
}  // namespace chorus::command

int main(int argc, char** argv) {
    using namespace chorus;
    return command::run_program(
        argc, argv,
        {.name = "chorus-destroy",
         .description = "Destroy an agent: end its turns and tasks, delete its directory.",
         .options = command::options_of<command::Destroy>(command::json_object)});
}
