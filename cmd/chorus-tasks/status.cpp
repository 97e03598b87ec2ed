#include <algorithm>

#include "approval/decision.hpp"
#include "base/width.hpp"
#include "chorus-tasks/view.hpp"
#include "cli/time_text.hpp"
#include "place/agent_tasks.hpp"
#include "sys/clock.hpp"

namespace chorus::command {
namespace {

using report::AgentStanding;
using report::ThreadStanding;
using report::WorkspaceStanding;

// "working (calling bash (+3), 12 sec)"
std::string state_and_doing(const ThreadStanding& thread) {
    const std::string doing = doing_of(thread);
    return state_of(thread) + (doing.empty() ? "" : " (" + doing + ")");
}

// Looking at every file of a large workspace takes long, so with --follow at most a tenth of the
// time is spent on it.
class Workspace {
  public:
    const WorkspaceStanding& look(const agent::Home& home, const store::Agent& agent) {
        const std::int64_t begun = sys::monotonic_ms();
        if (begun < next_ms_) return seen_;
        seen_ = report::workspace_of(home, agent);
        const std::int64_t now = sys::monotonic_ms();
        next_ms_ = now + std::max<std::int64_t>(500, 10 * (now - begun));
        return seen_;
    }

  private:
    WorkspaceStanding seen_;
    std::int64_t next_ms_ = 0;
};

std::string state_of_agent(const ThreadStanding* first) {
    return first == nullptr ? "idle" : state_of(*first);
}

// "active (37 messages, idle 5 min, 25 min left)"
std::string context_text(const AgentStanding& standing) {
    const report::ContextStanding& context = standing.context;
    const base::TimeMs now = sys::now_ms();
    if (context.messages == 0) return "idle";
    std::string text = "active (" + counted(context.messages, "message") + ", ";
    const ThreadStanding* first = report::foremost(standing.threads);
    if (first != nullptr && report::is_at_work(first->state)) return text + "in use)";
    text += "idle " + cli::span_text(now - context.idle_since);
    if (context.idle_until > now)
        text += ", " + cli::span_text(context.idle_until - now) + " left";
    else if (context.idle_until != 0)
        text += ", due to be saved";
    return text + ")";
}

std::string workspace_text(const WorkspaceStanding& workspace) {
    if (!workspace.problem.empty()) return one_line(workspace.problem);
    return "branch " + one_line(workspace.branch) + ", " + std::to_string(workspace.uncommitted) +
           " uncommitted";
}

std::string session_text(const store::Session& session) {
    const std::string iso_time = iso(session.saved_at);
    return iso_time.substr(0, 10) + " " + iso_time.substr(11, 5) + " - " +
           one_line(session.description.empty() ? session.summary : session.description);
}

// Joins the three to one line. The middle is cut if they are wider than `width`.
std::string fitted(const std::string& head, const std::string& middle, const std::string& tail,
                   std::size_t width) {
    constexpr std::size_t least = 8;
    const std::size_t rest = base::display_width(head) + base::display_width(tail);
    const std::size_t room = std::max(width > rest ? width - rest : 0, least);
    return head + base::cut_to_width(middle, room) + tail;
}

void add_tasks(std::vector<std::string>& lines, const char* heading,
               const std::vector<store::Task>& tasks, std::size_t width) {
    if (!tasks.empty()) lines.emplace_back(heading);
    for (const store::Task& task : tasks) {
        const bool runs = task.status == store::TaskStatus::running;
        const std::string when =
            runs ? cli::span_text(sys::now_ms() - task.started_at) : end_of(task);
        lines.push_back(fitted("  [" + task.id + "] ", one_line(task.command),
                               " (" + std::string(store::name(task.status)) + ", " + when + ")",
                               width));
    }
}

// The newest ones; somebody who works with an agent for months has very many.
void add_sub_agents(std::vector<std::string>& lines,
                    const std::vector<report::SubAgentStanding>& sub_agents, std::size_t width) {
    constexpr std::size_t most = 20;
    if (sub_agents.empty()) return;
    const std::size_t hidden = sub_agents.size() > most ? sub_agents.size() - most : 0;
    lines.push_back(
        "Sub-agents" +
        (hidden == 0 ? "" : " (" + std::to_string(hidden) + " older ones are not shown)") + ":");
    for (std::size_t i = hidden; i < sub_agents.size(); ++i) {
        const report::SubAgentStanding& one = sub_agents[i];
        const ThreadStanding* first = report::foremost(one.threads);
        // an id that is cut cannot be used
        lines.push_back(
            fitted(std::string(2 * one.depth, ' ') + one.agent.name + ": ",
                   first == nullptr ? "idle (no turn yet)" : one_line(state_and_doing(*first)), "",
                   width));
    }
}

std::vector<std::string> for_people(const AgentStanding& standing,
                                    const WorkspaceStanding& workspace, std::size_t width) {
    const store::Agent& agent = standing.agent;
    const ThreadStanding* first = report::foremost(standing.threads);
    std::vector<std::string> lines{"Agent: " + agent.name};
    const auto add = [&](const char* what, const std::string& text) {
        lines.push_back(std::string(what) + ": " + text);
    };
    if (!agent.description.empty()) add("Description", one_line(agent.description));
    add("Model", one_line(standing.model));
    add("Permissions", one_line(standing.permissions));
    add("Status", std::string(store::name(agent.status)) +
                      (agent.destroyed_at != 0 ? " (" + cli::ago(agent.destroyed_at) + ")" : ""));
    add("Session", context_text(standing));
    add("Turn", first == nullptr ? "idle (no turn yet)" : state_and_doing(*first));
    if (!is_gone(agent)) add("Workspace", workspace_text(workspace));
    if (!agent.place.empty()) add("Works in", one_line(agent.place));
    if (standing.threads.size() > 1) {
        lines.emplace_back("Threads:");
        for (const ThreadStanding& one : standing.threads)
            lines.push_back("  [" + std::to_string(one.thread.id) + "] " +
                            one_line(one.thread.branch) + ": " + state_and_doing(one));
    }
    add_tasks(lines, "Running tasks:", standing.running, width);
    add_tasks(lines, "Recently completed:", standing.ended, width);
    add_sub_agents(lines, standing.sub_agents, width);
    if (!standing.prompts.empty()) lines.emplace_back("Pending questions:");
    for (const store::Prompt& prompt : standing.prompts)
        lines.push_back(fitted("  [" + prompt.id + "] ", one_line(approval::in_one_line(prompt)),
                               " (asked " + cli::ago(prompt.created_at) + ")", width));
    add("Last session saved",
        standing.last_session ? session_text(*standing.last_session) : "none");
    for (const std::string& problem : standing.problems) add("Problem", one_line(problem));
    cut_lines(lines, width);
    return lines;
}

std::vector<std::string> plain(const AgentStanding& standing, const WorkspaceStanding& workspace) {
    const store::Agent& agent = standing.agent;
    const ThreadStanding* first = report::foremost(standing.threads);
    std::vector<std::string> lines;
    const auto add = [&](std::vector<std::string> fields) {
        lines.push_back(cli::tabbed(std::move(fields)));
    };
    add({"agent", agent.name});
    add({"lifecycle", std::string(store::name(agent.status))});
    add({"model", one_line(standing.model)});
    add({"permissions", one_line(standing.permissions)});
    add({"state", state_of_agent(first),
         first == nullptr ? std::string() : one_line(report::what_of(*first))});
    add({"context", standing.context.messages == 0 ? "idle" : "active",
         std::to_string(standing.context.messages)});
    add({"idle", iso(standing.context.idle_since), iso(standing.context.idle_until)});
    add({"workspace", one_line(workspace.branch), std::to_string(workspace.uncommitted),
         one_line(workspace.problem)});
    for (const ThreadStanding& one : standing.threads)
        add({"thread", std::to_string(one.thread.id), one_line(one.thread.branch), state_of(one),
             one_line(report::what_of(one)), iso(one.since)});
    for (const auto* part : {&standing.running, &standing.ended})
        for (const store::Task& task : *part)
            add({"task", task.id, std::string(store::name(task.status)), iso(task.started_at),
                 iso(task.ended_at), exit_of(task), one_line(task.command)});
    for (const report::SubAgentStanding& one : standing.sub_agents) {
        const ThreadStanding* turn = report::foremost(one.threads);
        add({"sub-agent", one.agent.name, one.parent, state_of_agent(turn),
             turn == nullptr ? "" : one_line(report::what_of(*turn)),
             turn == nullptr ? "" : iso(turn->since)});
    }
    for (const store::Prompt& prompt : standing.prompts)
        add({"pending", prompt.id, iso(prompt.created_at),
             one_line(approval::in_one_line(prompt))});
    if (const auto& session = standing.last_session)
        add({"session", session->id, iso(session->saved_at), one_line(session->summary)});
    for (const std::string& problem : standing.problems) add({"problem", one_line(problem)});
    return lines;
}

cli::Value session_value(const std::optional<store::Session>& session) {
    if (!session) return {};
    return Fields{{"id", session->id},           {"saved_at", Time{session->saved_at}},
                  {"trigger", session->trigger}, {"description", session->description},
                  {"summary", session->summary}, {"message_count", session->message_count}};
}

Fields sub_agent_fields(const report::SubAgentStanding& one) {
    const ThreadStanding* first = report::foremost(one.threads);
    return {{"agent", one.agent.name},
            {"parent", one.parent},
            {"preset", one.agent.preset},
            {"description", one.agent.description},
            {"directory", one.agent.dir},
            {"created_at", Time{one.agent.created_at}},
            {"turn_state", state_of_agent(first)},
            {"last_turn", last_turn(first)}};
}

std::string as_json(const AgentStanding& standing, const WorkspaceStanding& workspace) {
    const store::Agent& agent = standing.agent;
    const report::ContextStanding& context = standing.context;
    const ThreadStanding* first = report::foremost(standing.threads);
    const auto task_fields = [&](const store::Task& task) { return fields_of(task, agent.name); };
    return cli::json("status",
                     {{"agent", agent.name},
                      {"generation", agent.generation},
                      {"description", agent.description},
                      {"lifecycle", store::name(agent.status)},
                      {"created_at", Time{agent.created_at}},
                      {"destroyed_at", Time{agent.destroyed_at}},
                      {"last_activity_at", Time{agent.last_activity}},
                      {"turns", agent.turn_count},
                      {"model", standing.model},
                      {"permissions", standing.permissions},
                      {"turn_state", state_of_agent(first)},
                      {"last_turn", last_turn(first)},
                      {"context", Fields{{"state", context.messages == 0 ? "idle" : "active"},
                                         {"messages", context.messages},
                                         {"idle_since_at", Time{context.idle_since}},
                                         {"idle_save_at", Time{context.idle_until}}}},
                      {"threads", thread_fields(standing.threads, agent.name)},
                      {"running_tasks", cli::each(standing.running, task_fields)},
                      {"recent_tasks", cli::each(standing.ended, task_fields)},
                      {"sub_agents", cli::each(standing.sub_agents, sub_agent_fields)},
                      {"pending", asked(standing.prompts)},
                      {"workspace", Fields{{"directory", workspace.directory},
                                           {"branch", workspace.branch},
                                           {"uncommitted", workspace.uncommitted},
                                           {"problem", workspace.problem}}},
                      {"last_session", session_value(standing.last_session)},
                      {"problems", standing.problems}});
}

struct Status : Named {
    explicit Status(cli::Command& verb) : Named(verb) { watching.add_follow(verb); }

    ExitStatus run(Opened& opened) const {
        const store::Agent known = life::require_known(opened.home, opened.store, name);
        if (!is_gone(known)) tell_plants(place::task_site(opened.store, opened.home, known));
        Workspace workspace;
        return watching.show(opened, json, [&](Form form, std::size_t width) {
            const store::Agent agent = again(opened, known);
            const auto standing =
                report::standing_of(opened.home, opened.environment, opened.store, agent);
            const WorkspaceStanding none;
            const WorkspaceStanding& seen =
                is_gone(agent) && !agent.files_kept ? none : workspace.look(opened.home, agent);
            cli::Frame frame{.lines = {}, .is_last = is_gone(agent)};
            frame.lines = form == Form::terminal ? for_people(standing, seen, width)
                          : form == Form::plain  ? plain(standing, seen)
                                                 : std::vector{as_json(standing, seen)};
            return frame;
        });
    }

    Watching watching;
};

}  // namespace

const cli::Verb status_verb = verb<Status>("status", "show the state of an agent", json_object);

}  // namespace chorus::command
