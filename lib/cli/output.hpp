// Prints what chorus-run shows while a turn runs and at its end. stdout carries only the result.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/enum_names.hpp"
#include "base/error.hpp"
#include "chat/event.hpp"
#include "sys/named_file.hpp"

namespace chorus::cli {

enum class Format { text, json, stream_json };
constexpr base::EnumNames<Format, 3> formats{{"text", "json", "stream-json"}};
enum class Color { automatic, always, never };
constexpr base::EnumNames<Color, 3> colors{{"auto", "always", "never"}};
enum class Verbosity { quiet, normal, verbose };

struct OutputOptions {
    Format format = Format::text;
    bool stream = false;           // text as it streams, to a pipe too
    bool internal_events = false;  // --events all
    std::string file;              // -o
    Verbosity verbosity = Verbosity::normal;
    Color color = Color::automatic;
    bool no_color = false;  // NO_COLOR
};

class Progress;

class Output {
  public:
    Output(std::string_view program, OutputOptions options);
    ~Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    // Throws Error(bad_request) if the file of -o cannot be written, or what `check` throws, before
    // any tokens are spent.
    void check_file(const sys::OutputFile::Check& check);
    // Once one of these returns true, output that is not read for a second is dropped; but the
    // result of a turn that was not late, other than on stderr, only once interrupted. If they are
    // not set, output waits for its reader.
    void give_up_when(std::function<bool()> is_interrupted, std::function<bool()> is_late);
    // Whether a model's text is printed as it arrives.
    bool shows_text() const { return live_text_ || options_.format == Format::stream_json; }
    void event(const chat::Event& event, const chat::EventSource& source);
    void warn(const std::string& text);
    // A line that is also printed with --quiet.
    void alert(const std::string& text) { say("alert", text); }
    // Prints the last part of the result on stdout, and notes on the end on stderr. Returns the
    // result's exit status, or failed if not everything could be written.
    base::ExitStatus finish(const chat::TurnResult& ended);
    // Reports an error that occurred before there was a turn, in the format asked for; the file of
    // -o gets what goes to stdout. `accepted` is the result's member.
    void fail(const base::Error& error, const std::string& agent,
              std::optional<bool> accepted = {});
    // Hide and show the status line, which must not be drawn while a question is on the terminal.
    void pause_progress();
    void resume_progress();

  private:
    std::function<bool()> patience(bool waits_for_readers) const;
    void print(std::string_view text);
    std::string last_part(const chat::TurnResult& result) const;
    void print_error_text(std::string_view text);
    void say(std::string_view kind, std::string_view text);
    void say_error(std::string_view kind, const base::Error& error);
    void say_plan(const chat::Plan& steps);
    void say_end_of_call(const chat::CallComplete& done);
    void say_end(const chat::TurnResult& result);

    std::string program_;
    OutputOptions options_;
    std::function<bool()> is_interrupted_;
    std::function<bool()> is_late_;
    bool is_complete_ = false;  // the result, which is being written
    bool to_terminal_;
    bool live_text_;
    bool failed_ = false;
    bool streamed_any_ = false;
    bool task_seen_ = false;
    char last_printed_ = '\n';
    std::string copy_;                       // for -o
    std::optional<sys::OutputFile> file_;    // if check_file() accepts it
    std::optional<chat::TurnResult> ended_;  // while its file is being written
    base::TimeMs ended_at_ = 0;
    std::unique_ptr<Progress> progress_;
};

}  // namespace chorus::cli
