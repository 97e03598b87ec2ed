#include "cli/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.hpp"
#include "cli/main.hpp"
#include "cli/progress.hpp"
#include "sys/clock.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace chorus::cli {

using base::ExitStatus;

namespace {

bool use_color(const OutputOptions& options) {
    if (options.color != Color::automatic) return options.color == Color::always;
    return !options.no_color && isatty(STDERR_FILENO) == 1;
}

bool is_regular_or_new(const std::string& path) {
    struct stat status {};
    return lstat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

std::string call_line(const chat::CallEvent& event) {
    return event.action.empty() ? event.call.name : event.action;
}

}  // namespace

std::optional<Format> parse_format(std::string_view text) {
    if (text == "text") return Format::text;
    if (text == "json") return Format::json;
    if (text == "stream-json") return Format::stream_json;
    return std::nullopt;
}

Output::Output(std::string_view program, OutputOptions options)
    : program_(program),
      options_(std::move(options)),
      to_terminal_(isatty(STDOUT_FILENO) == 1),
      live_text_(options_.format == Format::text && (to_terminal_ || options_.stream)) {
    if (options_.verbosity == Verbosity::normal && isatty(STDERR_FILENO) == 1)
        progress_ = std::make_unique<Progress>(use_color(options_));
}

Output::~Output() = default;

// EPIPE and a full disk end the output, never the turn.
void Output::print(std::string_view text) {
    if (text.empty()) return;
    last_printed_ = text.back();
    if (!options_.file.empty()) copy_ += text;
    const std::string shown = to_terminal_ ? base::visible(text) : std::string(text);
    const auto put = [&] {
        std::string_view rest = shown;
        while (!failed_ && !rest.empty()) {
            const ssize_t size = write(STDOUT_FILENO, rest.data(), rest.size());
            if (size < 0 && errno == EINTR) continue;
            if (size < 0) failed_ = true;
            else rest.remove_prefix(static_cast<std::size_t>(size));
        }
    };
    if (progress_) progress_->without_line(put);
    else put();
}

void Output::print_line(const std::string& json) { print(json + "\n"); }

void Output::say(std::string_view kind, std::string_view text) {
    const auto put = [&] { cli::print_line(program_, kind, text); };
    if (progress_) progress_->without_line(put);
    else put();
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
    if (options_.format == Format::stream_json && (options_.internal_events || !chat::is_internal(event)))
        print_line(chat::to_json(event, source, sys::now_ms()));
    if (const auto* update = std::get_if<chat::StatusUpdate>(&event)) final_seen_ = final_seen_ || update->final;
    if (const auto* delta = std::get_if<chat::ContentDelta>(&event); delta != nullptr && live_text_) {
        print(delta->text);
        streamed_any_ = true;
    }
    const auto* call = std::get_if<chat::CallEvent>(&event);
    if (call != nullptr && live_text_ && last_printed_ != '\n') print("\n");
    if (call != nullptr && progress_) {
        progress_->count_tool();
        progress_->doing(call_line(*call));
    }
    if (std::holds_alternative<chat::CallComplete>(event) && progress_) progress_->doing("waiting for the model");
    if (const auto* retry = std::get_if<chat::RetryNotice>(&event); retry != nullptr) {
        const std::string text = "attempt " + std::to_string(retry->attempt) + " failed (" + retry->message +
                                 "); again in " + std::to_string((retry->wait_ms + 500) / 1000) + " s";
        if (options_.verbosity == Verbosity::verbose || progress_) say("notice", text);
    }
    if (options_.verbosity == Verbosity::verbose) {
        if (call != nullptr) say("call", call_line(*call));
        if (const auto* done = std::get_if<chat::CallComplete>(&event))
            say(done->outcome, done->tool + " (" + std::to_string(done->duration_ms) + " ms)");
    }
}

void Output::say_end(const chat::TurnResult& result) {
    for (const chat::PromptNotice& prompt : result.prompts) {
        say("waits", prompt.id + ": " + prompt.action);
        if (options_.verbosity != Verbosity::quiet)
            say("hint", "decide with chorus-run " + result.agent + " --approve " + prompt.id + " or --deny " +
                            prompt.id + "; the profile 'sandboxed' runs sandboxed commands without asking");
    }
    if (!result.error) return;
    const bool is_limit = result.exit_status == ExitStatus::limit;
    if (is_limit && options_.verbosity == Verbosity::quiet) return;
    say(is_limit ? "warning" : "error", result.error->message());
    if (!result.error->hint().empty()) say("hint", result.error->hint());
}

// -o: whole or not at all where FILE is a regular file or new, in place where it is anything else.
void Output::write_file() {
    if (is_regular_or_new(options_.file)) {
        sys::write_file(options_.file, copy_, 0600);
        return;
    }
    const sys::Fd fd(open(options_.file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (!fd) throw base::system_error(options_.file);
    sys::write_all(fd.get(), copy_, options_.file);
}

ExitStatus Output::finish(const chat::TurnResult& result) {
    if (options_.format == Format::json) print_line(chat::to_json(result));
    if (options_.format == Format::stream_json && !final_seen_)
        print_line(chat::to_json(
            chat::StatusUpdate{result.state, true, result.reason,
                               result.error ? result.error->message() : "", result.resume_at},
            {result.agent, result.thread, result.turn_id}, sys::now_ms()));
    if (options_.format == Format::text) {
        if (!(live_text_ && streamed_any_)) print(result.text);
        if (last_printed_ != '\n') print("\n");
    }
    progress_.reset();
    say_end(result);
    if (!options_.file.empty()) write_file();
    if (!failed_) return result.exit_status;
    if (options_.verbosity != Verbosity::quiet) say("error", "stdout: not everything could be written");
    return result.exit_status == ExitStatus::done ? ExitStatus::failed : result.exit_status;
}

void Output::fail(const base::Error& error, const std::string& agent) {
    chat::TurnResult result;
    result.agent = agent;
    result.state = error.code() == base::ErrorCode::canceled ? chat::State::canceled : chat::State::failed;
    result.error = error;
    result.exit_status = base::exit_status(error.code());
    if (options_.format == Format::json) print_line(chat::to_json(result));
    if (options_.format == Format::stream_json && !final_seen_)
        print_line(chat::to_json(chat::StatusUpdate{result.state, true, {}, error.message(), 0},
                                 {agent, result.thread, 0}, sys::now_ms()));
    progress_.reset();
    print_error(program_, error);
}

}  // namespace chorus::cli
