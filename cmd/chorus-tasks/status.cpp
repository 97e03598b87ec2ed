#include <algorithm>
#include <memory>

#include "approval/decision.hpp"
#include "base/text.hpp"
#include "chat/event.hpp"
#include "chorus-tasks/standing.hpp"
#include "chorus-tasks/view.hpp"
#include "cli/table.hpp"
#include "cli/time_text.hpp"
#include "place/agent_tasks.hpp"
#include "sys/clock.hpp"
#include "turn/questions.hpp"

namespace chorus::tasks_command {
namespace {

using cli::Form;
using report::AgentStanding;
using report::ThreadStanding;
using report::WorkspaceStanding;

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

std::string lifecycle_of(const store::Agent& agent) {
    return std::string(store::name(agent.status));
}

std::string state_of_agent(const ThreadStanding* first) {
    return first == nullptr ? "idle" : state_of(*first);
}

// "active (37 messages, idle 5 min, 25 min left)"
std::string context_text(const AgentStanding& standing) {
    const report::ContextStanding& context = standing.context;
    const base::TimeMs now = sys::now_ms();
    if (context.messages == 0) return "idle";
    std::string text = "active (" + std::to_string(context.messages) +
                       (context.messages == 1 ? " message, " : " messages, ");
    const ThreadStanding* first = report::foremost(standing.threads);
    if (first != nullptr && report::is_at_work(first->state)) return text + "in use)";
    text += "idle " + cli::span_text(now - context.idle_since);
    if (context.idle_until > now)
        text += ", " + cli::span_text(context.idle_until - now) + " left";
    else if (context.idle_until != 0)
        text += ", due to be saved";
    return text + ")";
}

std::string turn_text(const ThreadStanding* first) {
    if (first == nullptr) return "idle (no turn yet)";
    const std::string doing = doing_of(*first);
    return state_of(*first) + (doing.empty() ? "" : " (" + doing + ")");
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

void add_threads(std::vector<std::string>& lines, const AgentStanding& standing) {
    if (standing.threads.size() < 2) return;
    lines.emplace_back("Threads:");
    for (const ThreadStanding& one : standing.threads) {
        const std::string doing = doing_of(one);
        lines.push_back("  [" + std::to_string(one.thread.id) + "] " + one_line(one.thread.branch) +
                        ": " + state_of(one) + (doing.empty() ? "" : " (" + doing + ")"));
    }
}

void add_tasks(std::vector<std::string>& lines, const char* heading,
               const std::vector<store::Task>& tasks, std::size_t width) {
    if (tasks.empty()) return;
    lines.emplace_back(heading);
    for (const store::Task& task : tasks) {
        const bool runs = task.status == store::TaskStatus::running;
        const std::string when =
            runs ? cli::span_text(sys::now_ms() - task.started_at) : end_of(task);
        lines.push_back(fitted("  [" + task.id + "] ", one_line(task.command),
                               " (" + std::string(store::name(task.status)) + ", " + when + ")",
                               width));
    }
}

void add_prompts(std::vector<std::string>& lines, const std::vector<store::Prompt>& prompts,
                 std::size_t width) {
    if (!prompts.empty()) lines.emplace_back("Pending questions:");
    for (const store::Prompt& prompt : prompts)
        lines.push_back(fitted("  [" + prompt.id + "] ", one_line(approval::in_one_line(prompt)),
                               " (asked " + ago(prompt.created_at) + ")", width));
}

std::vector<std::string> for_people(const AgentStanding& standing,
                                    const WorkspaceStanding& workspace, std::size_t width) {
    const store::Agent& agent = standing.agent;
    const ThreadStanding* first = report::foremost(standing.threads);
    std::vector<std::string> lines{"Agent: " + agent.name};
    if (!agent.description.empty()) lines.push_back("Description: " + one_line(agent.description));
    lines.push_back("Model: " + one_line(standing.model));
    lines.push_back("Permissions: " + one_line(standing.permissions));
    lines.push_back("Status: " + lifecycle_of(agent) +
                    (agent.destroyed_at != 0 ? " (" + ago(agent.destroyed_at) + ")" : ""));
    lines.push_back("Session: " + context_text(standing));
    lines.push_back("Turn: " + turn_text(first));
    if (!is_gone(agent)) lines.push_back("Workspace: " + workspace_text(workspace));
    if (!agent.place.empty()) lines.push_back("Works in: " + one_line(agent.place));
    add_threads(lines, standing);
    add_tasks(lines, "Running tasks:", standing.running, width);
    add_tasks(lines, "Recently completed:", standing.ended, width);
    add_prompts(lines, standing.prompts, width);
    lines.push_back("Last session saved: " +
                    (standing.last_session ? session_text(*standing.last_session) : "none"));
    for (const std::string& problem : standing.problems)
        lines.push_back("Problem: " + one_line(problem));
    cut_lines(lines, width);
    return lines;
}

std::vector<std::string> plain(const AgentStanding& standing, const WorkspaceStanding& workspace) {
    const store::Agent& agent = standing.agent;
    const ThreadStanding* first = report::foremost(standing.threads);
    std::vector<std::string> lines;
    const auto add = [&](std::vector<std::string> fields) { lines.push_back(cli::tabbed(fields)); };
    add({"agent", agent.name});
    add({"lifecycle", lifecycle_of(agent)});
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
    for (const store::Prompt& prompt : standing.prompts)
        add({"pending", prompt.id, iso(prompt.created_at),
             one_line(approval::in_one_line(prompt))});
    if (const auto& session = standing.last_session)
        add({"session", session->id, iso(session->saved_at), one_line(session->summary)});
    for (const std::string& problem : standing.problems) add({"problem", one_line(problem)});
    return lines;
}

void write_context(chat::JsonText& out, const report::ContextStanding& context) {
    write_text(out.key("context").begin_object(), "state",
               context.messages == 0 ? "idle" : "active");
    out.key("messages").number(context.messages);
    write_time(out, "idle_since_at", context.idle_since);
    write_time(out, "idle_save_at", context.idle_until);
    out.end_object();
}

void write_workspace(chat::JsonText& out, const WorkspaceStanding& workspace) {
    write_text(out.key("workspace").begin_object(), "directory", workspace.directory);
    write_text(out, "branch", workspace.branch);
    out.key("uncommitted").number(workspace.uncommitted);
    write_text(out, "problem", workspace.problem);
    out.end_object();
}

void write_session(chat::JsonText& out, const std::optional<store::Session>& session) {
    out.key("last_session");
    if (!session) {
        out.null();
        return;
    }
    write_text(out.begin_object(), "id", session->id);
    write_time(out, "saved_at", session->saved_at);
    write_text(out, "trigger", session->trigger);
    write_text(out, "description", session->description);
    write_text(out, "summary", session->summary);
    out.key("message_count").number(session->message_count).end_object();
}

void write_tasks(chat::JsonText& out, const char* key, const std::vector<store::Task>& tasks,
                 const std::string& agent) {
    out.key(key).begin_array();
    for (const store::Task& task : tasks) {
        write_members(out.begin_object(), task, agent);
        out.end_object();
    }
    out.end_array();
}

std::string json(const AgentStanding& standing, const WorkspaceStanding& workspace) {
    const store::Agent& agent = standing.agent;
    const ThreadStanding* first = report::foremost(standing.threads);
    chat::JsonText out = chat::open_object("status");
    write_text(out, "agent", agent.name);
    out.key("generation").number(agent.generation);
    write_text(out, "description", agent.description);
    write_text(out, "lifecycle", lifecycle_of(agent));
    write_time(out, "created_at", agent.created_at);
    write_time(out, "destroyed_at", agent.destroyed_at);
    write_text(out, "model", standing.model);
    write_text(out, "permissions", standing.permissions);
    write_text(out, "turn_state", state_of_agent(first));
    write_last_turn(out, first);
    write_context(out, standing.context);
    out.key("threads").begin_array();
    for (const ThreadStanding& one : standing.threads) {
        write_members(out.begin_object(), one, agent.name);
        out.end_object();
    }
    out.end_array();
    write_tasks(out, "running_tasks", standing.running, agent.name);
    write_tasks(out, "recent_tasks", standing.ended, agent.name);
    write_pending(out, standing.prompts);
    write_workspace(out, workspace);
    write_session(out, standing.last_session);
    chat::write_texts(out, "problems", standing.problems);
    return out.end_object().take();
}

}  // namespace

Action add_status(cli::Command& verb) {
    const auto options = std::make_shared<ViewOptions>();
    add_name(verb, *options);
    add_follow(verb, *options);
    add_json(verb, *options, "print one JSON object");
    return [options](Opened& opened) {
        const store::Agent known = known_agent(opened, options->name);
        if (!is_gone(known)) tell_plants(place::task_site(opened.store, opened.home, known));
        Workspace workspace;
        return show(opened, *options, [&](Form form, std::size_t width) {
            const store::Agent agent = again(opened, known);
            const auto standing =
                report::standing_of(opened.home, opened.environment, opened.store, agent);
            const WorkspaceStanding none;
            const WorkspaceStanding& seen =
                is_gone(agent) && !agent.files_kept ? none : workspace.look(opened.home, agent);
            cli::Frame frame{.lines = {}, .is_last = is_gone(agent)};
            frame.lines = form == Form::terminal ? for_people(standing, seen, width)
                          : form == Form::plain  ? plain(standing, seen)
                                                 : std::vector{json(standing, seen)};
            return frame;
        });
    };
}

}  // namespace chorus::tasks_command
