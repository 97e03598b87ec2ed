#include "chorus-tasks/view.hpp"

#include <utility>

#include "base/text.hpp"
#include "base/width.hpp"
#include "chat/event.hpp"
#include "cli/time_text.hpp"
#include "place/agent_tasks.hpp"
#include "sys/clock.hpp"
#include "turn/questions.hpp"

namespace chorus::command {

using report::ThreadStanding;

namespace {

cli::View view_of(Opened& opened, Form form, const Watching::Draw& draw) {
    return {.draw = [&draw, form](std::size_t width) { return draw(form, width); },
            .has_changed =
                [&store = opened.store, version = opened.store.version_by_others()]() mutable {
                    const std::int64_t now = store.version_by_others();
                    return std::exchange(version, now) != now;
                },
            .look_ms = given_look_ms(opened.environment).value_or(0)};
}

}  // namespace

std::optional<std::int64_t> given_look_ms(const sys::Environment& environment) {
    constexpr std::int64_t least_ms = 10;
    constexpr std::int64_t most_ms = 3'600'000;
    const auto ms = environment.find_ms("CHORUS_POLL_MS");
    if (ms && (*ms < least_ms || *ms > most_ms))
        throw Error(ErrorCode::bad_request,
                    "CHORUS_POLL_MS: " + std::to_string(*ms) + " is not from 10 to 3600000",
                    "export CHORUS_POLL_MS=1s");
    return ms;
}

void Watching::add_follow(cli::Command& verb) {
    verb.flag("-f,--follow", follow, "keep showing changes until interrupted");
}

ExitStatus Watching::show(Opened& opened, bool json, const Draw& draw) const {
    const Form form = cli::form_of_stdout(json);
    const cli::View view = view_of(opened, form, draw);
    return follow ? cli::follow(view, form) : cli::show(view);
}

ExitStatus Watching::append(Opened& opened, bool json, const Draw& draw) const {
    return cli::append(view_of(opened, cli::form_of_stdout(json), draw), follow);
}

task::Site OfTasks::site(Opened& opened) const {
    return place::task_site(opened.store, opened.home, require_agent(opened));
}

store::Agent again(Opened& opened, const store::Agent& agent) {
    return store::find_agent(opened.store, agent.id).value_or(agent);
}

bool is_gone(const store::Agent& agent) {
    return agent.status == store::AgentStatus::destroyed;
}

std::string agent_of(Opened& opened, const store::Prompt& prompt) {
    const auto agent = store::find_agent(opened.store, prompt.agent_id);
    return agent ? agent->name : "";
}

store::ThreadId thread_of(Opened& opened, const store::Prompt& prompt) {
    const auto turn = store::find_turn(opened.store, prompt.turn_id);
    return turn ? turn->thread_id : 0;
}

void tell_end(const store::Task& task) {
    notice(task.id + ": " + store::outcome(task) + (task.note.empty() ? "" : "; " + task.note));
}

void tell_plants(const task::Site& site) {
    for (const std::string& plants : task::plants_of(site, task::settle(site, tell_end)))
        cli::alert(plants);
}

std::string iso(base::TimeMs time) {
    return time == 0 ? "" : base::iso8601(time);
}

void cut_lines(std::vector<std::string>& lines, std::size_t width) {
    for (std::string& line : lines) line = base::cut_to_width(line, width);
}

std::string exit_of(const store::Task& task) {
    if (task.signal != 0) return "signal " + base::signal_name(task.signal);
    return task.exit_code < 0 ? "" : "exit " + std::to_string(task.exit_code);
}

std::string end_of(const store::Task& task) {
    if (task.status == store::TaskStatus::running)
        return "started " + cli::ago(task.started_at) + ", PID " + std::to_string(task.pid);
    const std::string exit = exit_of(task);
    return exit + (exit.empty() ? "" : ", ") + cli::ago(task.ended_at) +
           (task.note.empty() ? "" : "; " + one_line(task.note));
}

Fields fields_of(const store::Task& task, const std::string& agent) {
    return {{"agent", agent},
            {"id", task.id},
            {"status", store::name(task.status)},
            {"command", task.command},
            {"directory", task.directory},
            {"started_at", Time{task.started_at}},
            {"ended_at", Time{task.ended_at}},
            {"pid", cli::number(task.pid, 0), std::to_string(task.pid)},
            {"exit_code", cli::number(task.exit_code, -1)},
            {"signal", cli::number(task.signal, 0)},
            {"note", task.note},
            {"thread", task.thread_id},
            {"turn_id", cli::number(task.turn_id, 0)},
            {"tool_call_id", task.tool_call_id},
            {"actor", task.actor},
            {"on_exit", task.on_exit},
            cli::shown("exit", exit_of(task))};
}

std::vector<Fields> asked(const std::vector<store::Prompt>& prompts) {
    return cli::each(prompts, [](const store::Prompt& prompt) -> Fields {
        return {{"notice", cli::Member([notice = turn::notice_of(prompt)](chat::JsonText& out) {
                     chat::write_members(out, notice);
                 })}};
    });
}

std::string state_of(const ThreadStanding& thread) {
    return std::string(store::name(thread.state));
}

std::string doing_of(const ThreadStanding& thread) {
    std::string text = one_line(report::what_of(thread));
    if (thread.since == 0) return text;
    const std::string span = cli::span_text(sys::now_ms() - thread.since);
    return text + (text.empty() ? "" : ", ") + span +
           (report::is_at_work(thread.state) ? "" : " ago");
}

Fields step_fields(const chat::PlanStep& step) {
    return {{"status", chat::step_statuses.name(step.status)}, {"text", step.text}};
}

cli::Value last_turn(const ThreadStanding* thread) {
    if (thread == nullptr || !thread->turn) return {};
    const store::Turn& turn = *thread->turn;
    const bool is_at_work = report::is_at_work(thread->state);
    const bool has_failed = thread->state == store::TurnState::error;
    const auto call_fields = [](const store::ToolRun& run) -> Fields {
        return {{"tool", run.tool}, {"action", run.action}, {"started_at", Time{run.intent_at}}};
    };
    return Fields{{"thread", turn.thread_id},
                  {"turn", turn.turn_number},
                  {"turn_id", turn.id},
                  {"turn_state", state_of(*thread)},
                  {"state", report::a2a_state(thread->state)},
                  {"reason", turn.reason},
                  {"doing", report::what_of(*thread)},
                  {"plan", cli::each(chat::parse_plan(turn.plan), step_fields)},
                  {"pid", cli::number(turn.pid, 0)},
                  {"started_at", Time{turn.started_at}},
                  {"working_since_at", Time{is_at_work ? thread->since : 0}},
                  {"ended_at", Time{turn.ended_at}},
                  {"iterations", turn.iterations},
                  {"tool_calls", turn.tool_calls},
                  {"calls", cli::each(thread->calls, call_fields)},
                  {"pending", asked(thread->prompts)},
                  has_failed ? error_field(turn) : cli::Field{"error", {}},
                  {"resume_at", Time{turn.resume_at}},
                  {"exit_code", cli::number(turn.exit_code, -1)},
                  {"signal", cli::number(report::signal_of(turn), 0)}};
}

std::vector<Fields> thread_fields(const std::vector<ThreadStanding>& threads,
                                  const std::string& agent) {
    return cli::each(threads, [&](const ThreadStanding& one) -> Fields {
        const std::string what = one_line(report::what_of(one));
        const bool is_at_work = report::is_at_work(one.state);
        return {{"agent", agent},
                {"thread", one.thread.id},
                {"branch", one.thread.branch},
                {"summary", one.thread.summary},
                {"turn_state", state_of(one)},
                {"last_activity_at", Time{one.thread.last_activity}},
                {"last_turn", last_turn(&one)},
                cli::shown("what", what),
                cli::shown("doing", is_at_work ? doing_of(one) : what),
                cli::shown("working since", is_at_work ? iso(one.since) : "")};
    });
}

}  // namespace chorus::command
