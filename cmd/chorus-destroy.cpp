
#include <iostream>

#include "base/id.hpp"
#include "base/text.hpp"
#include "cli/terminal_question.hpp"
#include "cli/time_text.hpp"
#include "command/verb.hpp"
#include "context/saved.hpp"
#include "life/children.hpp"
#include "life/deciders.hpp"
#include "life/leftovers.hpp"
#include "store/tasks.hpp"
#include "sys/clock.hpp"
#include "upkeep/destroy.hpp"

namespace chorus::command {
namespace {

using life::Files;

constexpr std::int64_t ask_ms = 24LL * 60 * 60 * 1000;

std::string archive_of(const agent::Home& home, const store::Agent& agent) {
    return home.archived_sessions(agent.name, agent.generation);
}

std::string directory_of(const agent::Home& home, const store::Agent& agent) {
    return home.directory(agent.dir).path();
}

std::string title_of(const store::Agent& agent) {
    return (agent.parent_id == 0 ? "Agent " : "Sub-agent ") + agent.name;
}

// Says what is ended, deleted and kept, and asks for the name.
std::string question(const agent::Home& home, store::Store& store, const store::Agent& agent,
                     Files files) {
    std::string text = "\n" + title_of(agent) + ": ";
    text += counted(store::list_sessions(store, agent.id).size(), "saved session");
    if (const auto turns = store::open_turns(store, agent.id).size(); turns > 0)
        text += ", " + counted(turns, "turn") + " not ended";
    if (const auto tasks = store::running_tasks(store, agent.id).size(); tasks > 0)
        text += ", " + counted(tasks, "task") + " running";
    const std::string directory = directory_of(home, agent);
    const bool is_sub_agent = agent.parent_id != 0;
    text += ".\n";
    if (files == Files::kept) text += "Its files stay in " + directory + ".\n";
    if (files != Files::kept)
        text += directory + " is deleted" + (is_sub_agent ? "" : ", with its workspace") + ".\n";
    if (files == Files::archived && !is_sub_agent)
        text += "Its sessions are moved to " + archive_of(home, agent) + ".\n";
    if (files == Files::purged) text += "Its sessions are deleted too.\n";
    return base::visible(text) + "To destroy it, type its name.\n";
}

// Says what was ended, saved and kept.
std::string text_of(const upkeep::Destroyed& done, const agent::Home& home) {
    if (done.by_another) return title_of(done.agent) + " was destroyed by another process.";
    std::vector<std::string> ended;
    const auto add = [&ended](std::int64_t count, const char* what) {
        if (count > 0) ended.push_back(counted(count, what));
    };
    add(static_cast<std::int64_t>(done.turns), "turn");
    add(static_cast<std::int64_t>(done.tasks), "task");
    add(done.prompts, "pending question");
    add(done.messages, "queued message");
    std::string text = title_of(done.agent) + " destroyed.";
    if (!ended.empty()) text += "\nEnded: " + base::join(ended, ", ") + ".";
    if (done.session)
        text += "\nSaved: session " + context::short_id(done.session->id) + ": " +
                base::visible(done.session->description, base::Newlines::escape);
    if (done.agent.files_kept)
        text += "\nIts files: " + directory_of(home, done.agent);
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
            {"directory", kept ? directory_of(home, done.agent) : ""},
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

// A repeated command does not go on to the copy in another branch.
void require_current(const agent::Home& home, store::Store& store, const store::Agent& agent) {
    if (agent.parent_id == 0) return;
    const store::Agent top = life::ancestors_of(store, agent).back();
    const std::string current = agent::current_branch(home.directory(top.dir));
    const auto parts = base::split(agent.dir, '/');  // agents, NAME, branches, BRANCH
    if (parts.size() < 4 || parts[3] == current) return;
    throw Error(ErrorCode::not_found,
                "sub-agent '" + agent.name + "': it is in the branch " + std::string(parts[3]) +
                    ", and the current one is " + current,
                "chorus-context switch " + top.name + " " + std::string(parts[3]));
}

struct Destroy : Named {
    explicit Destroy(cli::Command& app) : Named(app) {
        app.option("--subagent ID", sub_agent, "destroy this sub-agent of NAME");
        app.option("--subagents-older-than TIME", older_than,
                   "destroy the sub-agents of NAME that have done nothing for TIME");
        app.flag("--keep-files", keep_files, "keep its directory");
        app.flag("--purge", purge, "delete its sessions too");
        app.flag("--yes", yes, "do not ask for confirmation");
    }

    Files files() const {
        return keep_files ? Files::kept : purge ? Files::purged : Files::archived;
    }

    void confirm(const std::string& asked, const std::string& word,
                 const sys::Interrupt& interrupt) const {
        if (yes) return;
        if (!cli::can_ask())
            throw Error(ErrorCode::bad_request,
                        "agent '" + word + "': no terminal to ask for its name",
                        "--yes destroys it without asking");
        const auto typed = cli::ask_line(
            asked, ask_ms, [&interrupt] { return interrupt.requested(); },
            [&](const std::string& line) { return line == word ? "" : "that is not its name"; });
        if (interrupt.requested())
            throw Error(ErrorCode::canceled, "interrupted: nothing has changed");
        if (!typed)
            throw Error(ErrorCode::denied,
                        "agent '" + word + "': its name was not typed, nothing has changed");
    }

    // Returns also one whose destruction was interrupted.
    store::Agent find(Opened& opened) const {
        if (sub_agent.empty()) return life::require_destroyable(opened.home, opened.store, name);
        const store::Agent top = life::require_agent(opened.home, opened.store, name);
        for (store::Agent& member : life::family_of(opened.store, top))
            if (member.name == sub_agent && member.status == store::AgentStatus::destroying)
                return std::move(member);
        return life::require_sub_agent(opened.home, opened.store, top, sub_agent);
    }

    void destroy_idle(Opened& opened) const {
        const base::TimeMs until =
            sys::now_ms() - cli::require_duration_ms(older_than, "--subagents-older-than");
        const store::Agent top = life::require_agent(opened.home, opened.store, name);
        const auto [idle, kept] = upkeep::idle_sub_agents(opened.home, opened.store, top, until);
        for (const auto& each : kept)
            notice("sub-agent " + each.id + " is kept, with what it could not hand back: " +
                   each.work + "; chorus-destroy " + each.id + " destroys it");
        const place::Surroundings surroundings = opened.surroundings();
        if (idle.empty()) {
            if (!json) std::cout << "nothing to destroy\n";
            return;
        }
        for (const store::Agent& child : idle) life::check_removable(opened.home, child, files());
        std::vector<std::string> names;
        for (const store::Agent& child : idle) names.push_back(child.name);
        confirm("\n" + base::join(names, "\n") + "\nTo destroy " +
                    counted(idle.size(), "sub-agent") + ", type the name of the agent: " + name +
                    "\n",
                name, surroundings.interrupt);
        for (const store::Agent& child : idle) {
            const auto done = upkeep::destroy(opened.store, child, files(), surroundings);
            cli::print(json, "destroyed", fields_of(done, opened.home), text_of(done, opened.home));
        }
    }

    void run(Opened& opened) const {
        life::refuse_from_inside(opened.store, opened.environment);
        if (!older_than.empty()) return destroy_idle(opened);
        if (base::is_agent_name(name) && sub_agent.empty())
            if (const auto done = finish_remains(opened.home, opened.store, name))
                return cli::print(
                    json, "destroyed", fields_of(*done, opened.home),
                    "Agent " + name + " was destroyed; its remaining files were removed.");
        const store::Agent agent = find(opened);
        require_current(opened.home, opened.store, agent);
        life::check_removable(opened.home, agent, files());
        const place::Surroundings surroundings = opened.surroundings();
        confirm(question(opened.home, opened.store, agent, files()), agent.name,
                surroundings.interrupt);
        const auto done = upkeep::destroy(opened.store, agent, files(), surroundings);
        cli::print(json, "destroyed", fields_of(done, opened.home), text_of(done, opened.home));
    }

    std::string sub_agent;
    std::string older_than;
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
