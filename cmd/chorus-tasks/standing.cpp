#include "chorus-tasks/standing.hpp"

#include "approval/decision.hpp"
#include "base/text.hpp"
#include "chat/event.hpp"
#include "chorus-tasks/view.hpp"
#include "cli/time_text.hpp"
#include "sys/clock.hpp"
#include "turn/questions.hpp"

namespace chorus::tasks_command {

using report::ThreadStanding;
using store::Task;
using store::TaskStatus;
using store::TurnState;

std::string exit_of(const Task& task) {
    if (task.signal != 0) return "signal " + base::signal_name(task.signal);
    return task.exit_code < 0 ? "" : "exit " + std::to_string(task.exit_code);
}

std::string end_of(const Task& task) {
    if (task.status == TaskStatus::running)
        return "started " + ago(task.started_at) + ", PID " + std::to_string(task.pid);
    const std::string exit = exit_of(task);
    return exit + (exit.empty() ? "" : ", ") + ago(task.ended_at) +
           (task.note.empty() ? "" : "; " + one_line(task.note));
}

void write_members(chat::JsonText& out, const Task& task, const std::string& agent) {
    write_text(out, "agent", agent);
    write_text(out, "id", task.id);
    write_text(out, "status", store::name(task.status));
    write_text(out, "command", task.command);
    write_text(out, "directory", task.directory);
    write_time(out, "started_at", task.started_at);
    write_time(out, "ended_at", task.ended_at);
    write_number(out, "pid", task.pid, 0);
    write_number(out, "exit_code", task.exit_code, -1);
    write_number(out, "signal", task.signal, 0);
    write_text(out, "note", task.note);
    out.key("thread").number(task.thread_id);
    write_number(out, "turn_id", task.turn_id, 0);
    write_text(out, "tool_call_id", task.tool_call_id);
    write_text(out, "actor", task.actor);
    write_text(out, "on_exit", task.on_exit);
}

std::string json_of(const Task& task, const std::string& agent) {
    chat::JsonText out = chat::open_object("task");
    write_members(out, task, agent);
    return out.end_object().take();
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

void write_pending(chat::JsonText& out, const std::vector<store::Prompt>& prompts) {
    out.key("pending").begin_array();
    for (const store::Prompt& prompt : prompts) {
        chat::write_members(out.begin_object(), turn::notice_of(prompt));
        out.end_object();
    }
    out.end_array();
}

void write_last_turn(chat::JsonText& out, const ThreadStanding* thread) {
    out.key("last_turn");
    if (thread == nullptr || !thread->turn) {
        out.null();
        return;
    }
    const store::Turn& turn = *thread->turn;
    out.begin_object().key("thread").number(turn.thread_id);
    out.key("turn").number(turn.turn_number).key("turn_id").number(turn.id);
    write_text(out, "turn_state", store::name(thread->state));
    write_text(out, "state", report::a2a_state(thread->state));
    write_text(out, "reason", turn.reason);
    write_text(out, "doing", report::what_of(*thread));
    write_number(out, "pid", turn.pid, 0);
    write_time(out, "started_at", turn.started_at);
    write_time(out, "working_since_at", report::is_at_work(thread->state) ? thread->since : 0);
    write_time(out, "ended_at", turn.ended_at);
    out.key("iterations").number(turn.iterations).key("tool_calls").number(turn.tool_calls);
    out.key("calls").begin_array();
    for (const store::ToolRun& run : thread->calls) {
        write_text(out.begin_object(), "tool", run.tool);
        write_text(out, "action", run.action);
        write_time(out, "started_at", run.intent_at);
        out.end_object();
    }
    write_pending(out.end_array(), thread->prompts);
    if (thread->state == TurnState::error)
        chat::write_error(out, {"", turn.error_category, turn.error_detail, ""});
    else
        out.key("error").null();
    write_time(out, "resume_at", turn.resume_at);
    write_number(out, "exit_code", turn.exit_code, -1);
    write_number(out, "signal", report::signal_of(turn), 0);
    out.end_object();
}

void write_members(chat::JsonText& out, const ThreadStanding& thread, const std::string& agent) {
    write_text(out, "agent", agent);
    out.key("thread").number(thread.thread.id);
    write_text(out, "branch", thread.thread.branch);
    write_text(out, "summary", thread.thread.summary);
    write_text(out, "turn_state", state_of(thread));
    write_time(out, "last_activity_at", thread.thread.last_activity);
    write_last_turn(out, &thread);
}

}  // namespace chorus::tasks_command
