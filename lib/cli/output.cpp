#include "cli/output.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/width.hpp"
#include "chat/asked.hpp"
#include "chat/commands.hpp"
#include "cli/call_line.hpp"
#include "cli/error_stream.hpp"
#include "cli/main.hpp"
#include "cli/progress.hpp"
#include "cli/terminal_guard.hpp"
#include "sys/clock.hpp"
#include "sys/fd.hpp"
#include "sys/terminal.hpp"

namespace chorus::cli {

using base::ExitStatus;

namespace {

constexpr std::int64_t told_wait_ms = 5'000;  // shorter waits are not reported
constexpr const char* unwritten = "stdout: not everything could be written";

bool use_color(const OutputOptions& options) {
    if (options.color != Color::automatic) return options.color == Color::always;
    return !options.no_color && sys::takes_escapes(STDERR_FILENO);
}

}  // namespace

Output::Output(std::string_view program, OutputOptions options)
    : program_(program),
      options_(std::move(options)),
      to_terminal_(isatty(STDOUT_FILENO) == 1),
      live_text_(options_.format == Format::text && (to_terminal_ || options_.stream)) {
    if (options_.verbosity == Verbosity::normal && sys::takes_escapes(STDERR_FILENO))
        progress_ = std::make_unique<Progress>(use_color(options_), [this](std::string_view text) {
            write_error(text, patience(false));
        });
}

Output::~Output() = default;

void Output::give_up_when(std::function<bool()> is_interrupted, std::function<bool()> is_late) {
    is_interrupted_ = std::move(is_interrupted);
    is_late_ = std::move(is_late);
}

// EPIPE, a full disk and a reader that stops reading end the output, never the turn, and hold it up
// only until it is to end. Each returned function tells whether a write has waited too long since.
std::function<bool()> Output::patience(bool waits_for_readers) const {
    return [this, waits_for_readers, over_since_ms = std::int64_t{0}]() mutable {
        if (!is_interrupted_ || (!is_interrupted_() && (waits_for_readers || !is_late_())))
            return false;
        if (over_since_ms == 0) over_since_ms = sys::monotonic_ms();
        return sys::monotonic_ms() - over_since_ms >= base::limits::timeout_grace_ms;
    };
}

void Output::print(std::string_view text) {
    if (text.empty()) return;
    last_printed_ = text.back();
    if (!options_.file.empty()) copy_ += text;
    std::string safe;
    if (to_terminal_) safe = options_.format == Format::text ? base::visible(text) : guarded(text);
    const std::string_view shown = to_terminal_ ? std::string_view(safe) : text;
    const auto put = [&] {
        failed_ = failed_ || !sys::try_write_until(STDOUT_FILENO, shown, patience(is_complete_));
    };
    if (!progress_) return put();
    progress_->without_line(put);
    // the status line would be drawn over an unfinished line
    if (to_terminal_ && last_printed_ != '\n')
        progress_->pause();
    else
        progress_->resume();
}

void Output::print_error_text(std::string_view text) {
    const auto put = [&] { write_error(text, patience(false)); };
    if (progress_)
        progress_->without_line(put);
    else
        put();
}

void Output::say(std::string_view kind, std::string_view text) {
    print_error_text(error_line(program_, kind, text));
}

void Output::say_error(std::string_view kind, const base::Error& error) {
    say(kind, error.message());
    if (!error.hint().empty()) say("hint", error.hint());
}

void Output::warn(const std::string& text) {
    if (options_.verbosity != Verbosity::quiet) say("notice", text);
}

void Output::pause_progress() {
    if (progress_) progress_->pause();
}

void Output::resume_progress() {
    if (progress_) progress_->resume();
}

void Output::event(const chat::Event& event, const chat::EventSource& source) {
    const auto* update = std::get_if<chat::StatusUpdate>(&event);
    const bool is_final =
        update != nullptr && update->final;  // finish() prints it, with the result
    if (options_.format == Format::stream_json && !is_final &&
        (options_.internal_events || !chat::is_internal(event)))
        print(chat::to_json(event, source, sys::now_ms()) + "\n");
    task_seen_ = task_seen_ || std::holds_alternative<chat::TaskEvent>(event);
    if (const auto* delta = std::get_if<chat::ContentDelta>(&event);
        delta != nullptr && live_text_) {
        print(delta->text);
        streamed_any_ = true;
    }
    const auto* call = std::get_if<chat::CallEvent>(&event);
    if (call != nullptr && live_text_ && last_printed_ != '\n') print("\n");
    if (call != nullptr && progress_) {
        progress_->count_tool();
        progress_->doing(running_line(*call));
    }
    const auto* subtask = std::get_if<chat::Subtask>(&event);
    if (subtask != nullptr && progress_) {
        if (subtask->state == chat::State::working)
            progress_->below(subtask->sub_agent, subtask_line(*subtask));
        else
            progress_->end_below(subtask->sub_agent);
    }
    if (const auto* plan = std::get_if<chat::PlanUpdate>(&event)) say_plan(plan->steps);
    const auto* message = std::get_if<chat::MessageEvent>(&event);
    if (message != nullptr && progress_) progress_->spent(message->usage);
    const auto* internal = std::get_if<chat::InternalEvent>(&event);
    if (internal != nullptr && internal->kind == "internal:model-call" && progress_)
        progress_->doing("waiting for the model");
    if (const auto* retry = std::get_if<chat::RetryNotice>(&event); retry != nullptr) {
        const std::string text = "attempt " + std::to_string(retry->attempt) + " failed (" +
                                 retry->message + "); retrying in " +
                                 std::to_string((retry->wait_ms + 500) / 1000) + " s";
        const bool is_long =
            options_.verbosity != Verbosity::quiet && retry->wait_ms >= told_wait_ms;
        if (options_.verbosity == Verbosity::verbose || progress_ || is_long) say("notice", text);
    }
    if (const auto* to = std::get_if<chat::CredentialSwitch>(&event);
        to != nullptr && (options_.verbosity == Verbosity::verbose || progress_))
        say("notice",
            to->provider + ": credential profile " + to->profile + " in place of " + to->previous);
    if (options_.verbosity == Verbosity::verbose && call != nullptr) say("call", call_line(*call));
    if (options_.verbosity == Verbosity::verbose && subtask != nullptr)
        say(chat::name(subtask->state), subtask_line(*subtask));
    if (const auto* done = std::get_if<chat::CallComplete>(&event)) say_end_of_call(*done);
}

// Like the lines of calls.
void Output::say_plan(const chat::Plan& steps) {
    const auto terminal = sys::terminal_size(STDERR_FILENO);
    const bool is_verbose = options_.verbosity == Verbosity::verbose;
    if (options_.verbosity == Verbosity::quiet || (!terminal && !is_verbose)) return;
    for (const chat::PlanStep& step : steps) {
        std::string line = base::visible(chat::marked(step), base::Newlines::escape);
        if (!terminal) {
            say("plan", line);
            continue;
        }
        line = base::cut_to_width(line, terminal->columns - 1) + "\n";
        print_error_text(line);
    }
}

// Prints a line per call on a terminal; elsewhere only with --verbose.
void Output::say_end_of_call(const chat::CallComplete& done) {
    const auto terminal = sys::terminal_size(STDERR_FILENO);
    const bool is_verbose = options_.verbosity == Verbosity::verbose;
    if (options_.verbosity == Verbosity::quiet || (!terminal && !is_verbose)) return;
    if (!terminal) say(done.outcome, done.tool + " (" + std::to_string(done.duration_ms) + " ms)");
    std::string text;
    const bool color = use_color(options_);
    if (terminal) {
        const std::string line = end_line(done, terminal->columns - 1);
        text = color ? "\x1b[2m" + line + "\x1b[0m\n" : line + "\n";
    }
    const ShownOn where = !terminal ? ShownOn::pipe
                          : color   ? ShownOn::color_terminal
                                    : ShownOn::terminal;
    if (is_verbose) text += shown_patch(done.change.patch, where);
    print_error_text(text);
}

void Output::say_end(const chat::TurnResult& result) {
    for (const chat::PromptNotice& prompt : result.prompts) {
        const bool is_question = prompt.kind == chat::PromptKind::question;
        say("waits",
            prompt.id + ": " +
                (is_question ? chat::asked_question(prompt.text, prompt.options)
                             : chat::asked_action(prompt.action, prompt.arguments, prompt.text)));
        if (options_.verbosity == Verbosity::quiet) continue;
        say("hint", chat::decide_commands(result.agent, prompt.id, prompt.kind));
        if (prompt.text.starts_with(chat::asked_again))
            say("hint", "chorus-run " + result.agent + " --approve " + prompt.id +
                            " --even-if-changed approves it, whatever changes");
    }
    const bool asks_for_command =
        result.permissions == "standard" &&
        std::any_of(result.prompts.begin(), result.prompts.end(),
                    [](const chat::PromptNotice& prompt) { return prompt.tool == "bash"; });
    if (options_.verbosity != Verbosity::quiet && asks_for_command)
        say("hint", "to run sandboxed commands without asking: chorus-config set -A " +
                        result.agent + " permissions sandboxed");
    if (!result.work.problem.empty()) say("warning", "its changes: " + result.work.problem);
    if (!result.work.branch.empty() && options_.verbosity != Verbosity::quiet)
        say("notice", "its changes are the branch " + result.work.branch + "; nothing is merged");
    const bool asks = result.state == chat::State::input_required && !result.prompts.empty();
    if (!result.error || (asks && result.accepted != false)) return;
    const bool is_limit = result.exit_status == ExitStatus::limit;
    if (is_limit && options_.verbosity == Verbosity::quiet) return;
    say_error(is_limit ? "warning" : "error", *result.error);
}

void Output::check_file(const sys::OutputFile::Check& check) {
    if (options_.file.empty()) return;
    file_.emplace(options_.file, sys::Overwrite::allow, check);
    if (!file_->is_stdout()) return;
    file_.reset();  // all output goes there already
    options_.file.clear();
}

// Returns the part of the output that is known only at the end.
std::string Output::last_part(const chat::TurnResult& result) const {
    const chat::EventSource source{result.agent, result.thread, result.turn_id};
    const auto line = [&](const chat::Event& event) {
        return chat::to_json(event, source, ended_at_ != 0 ? ended_at_ : sys::now_ms()) + "\n";
    };
    if (options_.format == Format::json) return chat::to_json(result) + "\n";
    if (options_.format == Format::stream_json) {
        const bool untold = result.turn_id != 0 && !task_seen_;
        return (untold ? line(chat::TaskEvent{}) : "") +
               (untold && !result.text.empty()
                    ? line(chat::MessageEvent{chat::Role::assistant, 0, result.text})
                    : "") +
               line(chat::StatusUpdate{result.state, true, result.reason,
                                       result.error ? result.error->message() : "",
                                       result.resume_at, chat::to_json(result)});
    }
    std::string text = live_text_ && streamed_any_ ? "" : result.text;
    if ((text.empty() ? last_printed_ : text.back()) != '\n') text += "\n";
    return text;
}

ExitStatus Output::finish(const chat::TurnResult& ended) {
    const std::string printed = copy_;
    ended_at_ = sys::now_ms();  // the file and stdout have the same
    is_complete_ = !is_late_ || !is_late_();
    // the file is written first: if that fails, fail() puts the error into what goes to stdout
    if (file_) {
        ended_ = ended;
        // a turn that only waits has no output, and the file keeps its content
        if (const std::string whole = printed + last_part(ended); !whole.empty())
            file_->write(whole, patience(is_complete_));
        ended_.reset();
    }
    print(last_part(ended));
    progress_.reset();
    say_end(ended);
    if (!failed_) return ended.exit_status;
    say("error", unwritten);
    if (ended.exit_status != ExitStatus::done) return ended.exit_status;
    if (file_ && options_.format == Format::json) {
        chat::TurnResult result = ended;
        result.exit_status = ExitStatus::failed;
        result.error = base::Error(base::ErrorCode::failed, unwritten);
        file_->write(printed + last_part(result), patience(is_complete_));
    }
    return ExitStatus::failed;
}

void Output::fail(const base::Error& error, const std::string& agent,
                  std::optional<bool> accepted) {
    chat::TurnResult result = ended_.value_or(chat::TurnResult{});
    result.agent = agent;
    if (!ended_)
        result.state =
            error.code() == base::ErrorCode::canceled ? chat::State::canceled : chat::State::failed;
    result.error = error;
    if (!ended_) result.accepted = accepted;
    result.exit_status = exit_status(error);
    if (options_.format != Format::text || ended_) print(last_part(result));
    progress_.reset();
    say_error("error", error);
    if (file_ && !ended_ && !copy_.empty()) file_->write(copy_, patience(is_complete_));
}

}  // namespace chorus::cli
