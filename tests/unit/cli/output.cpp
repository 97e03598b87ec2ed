#include "cli/output.hpp"

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/main.hpp"
#include "streams.hpp"

namespace chorus::cli {
namespace {

using base::ExitStatus;
using chat::State;
using test::put;
using test::Scratch;
using test::text_of;

const chat::EventSource source{"ada", 1, 7};

chat::TurnResult done(const std::string& text) {
    chat::TurnResult result;
    result.agent = "ada";
    result.turn_id = 7;
    result.text = text;
    return result;
}

chat::TurnResult failed(base::ErrorCode code, const std::string& text = {}) {
    chat::TurnResult result = done(text);
    result.state = State::failed;
    result.error = base::Error(code, "model: 503", "try later");
    result.exit_status = base::exit_status(code);
    return result;
}

template <typename Change>
OutputOptions options_with(Change change) {
    OutputOptions options;
    change(options);
    return options;
}
OutputOptions in(Format format) {
    return options_with([&](OutputOptions& o) { o.format = format; });
}
OutputOptions in(Verbosity verbosity) {
    return options_with([&](OutputOptions& o) { o.verbosity = verbosity; });
}
OutputOptions to_file(const std::string& file, Format format = Format::text) {
    return options_with([&](OutputOptions& o) {
        o.file = file;
        o.format = format;
    });
}
const OutputOptions streaming = options_with([](OutputOptions& o) { o.stream = true; });

// A turn as it streams: text, a call, its result, text, the end.
struct Shown : Printed::Streams {
    ExitStatus status = ExitStatus::done;
};
Shown show(const OutputOptions& options, const chat::TurnResult& result, bool with_final = true) {
    Shown shown;
    Printed printed;
    static_cast<Printed::Streams&>(shown) = printed.by([&] {
        Output output("chorus-run", options);
        output.check_file({});
        output.event(chat::TaskEvent{}, source);
        output.event(chat::InternalEvent{"internal:model-call", "{}"}, source);
        output.event(chat::ContentDelta{"Let me see."}, source);
        output.event(chat::CallEvent{{"c1", "bash", "{}"}, "tool:bash:ls"}, source);
        output.event(chat::CallComplete{"c1", "bash", "tool:bash:ls", "ok", "a.txt", 12}, source);
        output.event(chat::RetryNotice{1, 1'500, "server_error", "503"}, source);
        output.event(chat::ContentDelta{"Done"}, source);
        output.event(chat::ContentDelta{"."}, source);
        output.warn("a notice");
        if (with_final) output.event(chat::StatusUpdate{result.state, true, {}, {}, 0}, source);
        shown.status = output.finish(result);
    });
    return shown;
}

TEST(Format, comes_from_its_name) {
    EXPECT_EQ(formats.find("text"), Format::text);
    EXPECT_EQ(formats.find("json"), Format::json);
    EXPECT_EQ(formats.find("stream-json"), Format::stream_json);
    for (const char* text : {"", "Text", "jsonl", "stream_json"})
        EXPECT_FALSE(formats.find(text)) << text;
}

TEST(Output, to_a_pipe_is_the_last_message_alone) {
    const Shown shown = show({}, done("Done."));
    EXPECT_EQ(shown.out, "Done.\n");
    EXPECT_EQ(shown.err, "chorus-run: notice: a notice\n");
    EXPECT_EQ(shown.status, ExitStatus::done);
    EXPECT_EQ(show({}, done("Done.\n")).out, "Done.\n");
    EXPECT_EQ(show({}, done("a\n\nb\n\n")).out, "a\n\nb\n\n");
}

TEST(Output, to_a_pipe_is_untouched) {
    EXPECT_EQ(show({}, done("\x1b[31m\r\t")).out, "\x1b[31m\r\t\n");
}

TEST(Output, streams_where_asked_to) {
    EXPECT_EQ(show(streaming, done("Done.")).out, "Let me see.\nDone.\n");
}

TEST(Output, as_json_is_one_object) {
    const Shown shown = show(in(Format::json), done("Done."));
    EXPECT_EQ(std::count(shown.out.begin(), shown.out.end(), '\n'), 1);
    EXPECT_EQ(chat::parse_result(shown.out).text, "Done.");
    EXPECT_EQ(chat::parse_result(shown.out).exit_status, shown.status);
}

// internal events are left out unless asked for
TEST(Output, as_events_has_one_last_line) {
    for (const bool with_final : {true, false}) {
        const Shown shown = show(in(Format::stream_json), done("Done."), with_final);
        const auto lines = base::split_lines(shown.out);
        ASSERT_EQ(lines.size(), 8U) << shown.out;
        EXPECT_NE(lines.front().find("\"kind\":\"task\""), std::string::npos);
        std::size_t final_lines = 0;
        for (const auto line : lines)
            final_lines += line.find("\"final\":true") != std::string::npos;
        EXPECT_EQ(final_lines, 1U) << shown.out;
        EXPECT_NE(lines.back().find("\"final\":true"), std::string::npos);
        EXPECT_EQ(shown.out.find("internal:"), std::string::npos);
    }
    const Shown all = show(options_with([](OutputOptions& o) {
                               o.format = Format::stream_json;
                               o.internal_events = true;
                           }),
                           done("Done."));
    EXPECT_NE(all.out.find("\"kind\":\"internal:model-call\""), std::string::npos);
}

TEST(Output, tells_errors_on_stderr_with_what_to_do) {
    const Shown shown = show({}, failed(base::ErrorCode::server_error, "partial"));
    EXPECT_EQ(shown.out, "partial\n");
    EXPECT_EQ(shown.err,
              "chorus-run: notice: a notice\nchorus-run: error: model: 503\nchorus-run: hint: try "
              "later\n");
    EXPECT_EQ(shown.status, ExitStatus::provider);
}

//
TEST(Output, warns_at_a_limit) {
    chat::TurnResult result = failed(base::ErrorCode::limit, "partial");
    result.state = State::completed;
    EXPECT_NE(show({}, result).err.find("chorus-run: warning: model: 503\n"), std::string::npos);
    EXPECT_EQ(show({}, result).status, ExitStatus::limit);
}

TEST(Output, is_quiet_where_asked_to) {
    const Shown shown = show(in(Verbosity::quiet), done("Done."));
    EXPECT_EQ(shown.out, "Done.\n");
    EXPECT_EQ(shown.err, "");
    EXPECT_NE(show(in(Verbosity::quiet), failed(base::ErrorCode::server_error))
                  .err.find("error: model: 503"),
              std::string::npos);
}

TEST(Output, tells_calls_where_asked_to) {
    const std::string err = show(in(Verbosity::verbose), done("Done.")).err;
    for (const char* line : {"chorus-run: call: tool:bash:ls\n", "chorus-run: ok: bash (12 ms)\n",
                             "attempt 1 failed (503); retrying in 2 s"})
        EXPECT_NE(err.find(line), std::string::npos) << line << err;
}

TEST(Output, tells_how_to_decide_what_waits) {
    chat::TurnResult result = done("");
    result.state = State::input_required;
    result.prompts = {
        {"k3v9", chat::PromptKind::permission, "tool:bash:git push\n\x1b[2J", "bash", "{}", "", 0}};
    result.exit_status = ExitStatus::input_required;
    const Shown shown = show({}, result);
    EXPECT_NE(shown.err.find("chorus-run: waits: k3v9: tool:bash:git push\\n\\x1b[2J\n"),
              std::string::npos)
        << shown.err;
    EXPECT_NE(shown.err.find("chorus-run ada --approve k3v9, or --deny k3v9"), std::string::npos);
    EXPECT_EQ(shown.status, ExitStatus::input_required);
}

TEST(Output, shows_no_control_characters_on_stderr) {
    Printed printed;
    const auto shown = printed.by([] {
        Output output("chorus-run", {});
        output.warn("a\x1b[31m\nforged: line\xff");
        print_error("chorus-run", base::Error(base::ErrorCode::failed, "x\ny\x07", "z\r"));
    });
    EXPECT_EQ(shown.err,
              "chorus-run: notice: a\\x1b[31m\\nforged: line\\xff\nchorus-run: error: "
              "x\\ny\\x07\nchorus-run: hint: z\\x0d\n");
}

TEST(Output, goes_to_a_file_too) {
    const Scratch scratch;
    const std::string file = scratch / "answer.txt";
    for (const Format format : {Format::text, Format::json, Format::stream_json}) {
        const Shown shown = show(to_file(file, format), done("Done."));
        EXPECT_EQ(text_of(file), shown.out);
        EXPECT_FALSE(shown.out.empty());
    }
    struct stat status {};
    ASSERT_EQ(stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1);
}

TEST(Output, goes_through_a_link_in_place) {
    const Scratch scratch;
    put(scratch / "real", "something longer than what comes");
    std::filesystem::create_symlink(scratch / "real", scratch / "link");
    show(to_file(scratch / "link"), done("Done."));
    EXPECT_TRUE(std::filesystem::is_symlink(scratch / "link"));
    EXPECT_EQ(text_of(scratch / "real"), "Done.\n");
}

// Promise 12
TEST(Output, that_could_not_be_written_is_no_success) {
    Printed printed;
    ExitStatus fine = ExitStatus::done;
    ExitStatus limit = ExitStatus::done;
    const auto shown = printed.by([&] {
        const sys::Fd full(open("/dev/full", O_WRONLY | O_CLOEXEC));
        const Exchanged exchanged(STDOUT_FILENO, full.get());
        fine = Output("chorus-run", {}).finish(done("Done."));
        limit = Output("chorus-run", {}).finish(failed(base::ErrorCode::limit));
    });
    EXPECT_EQ(fine, ExitStatus::failed);
    EXPECT_EQ(limit, ExitStatus::limit);
    EXPECT_NE(shown.err.find("stdout: not everything could be written"), std::string::npos);
}

TEST(Output, into_a_closed_pipe_ends_no_turn) {
    Printed printed;
    ExitStatus status = ExitStatus::done;
    const auto before = signal(SIGPIPE, SIG_IGN);
    printed.by([&] {
        sys::Pipe pipe = sys::make_pipe();
        const Exchanged exchanged(STDOUT_FILENO, pipe.write_end.get());
        pipe.read_end.reset();
        Output output("chorus-run", streaming);
        for (int i = 0; i < 3; ++i) output.event(chat::ContentDelta{"text"}, source);
        status = output.finish(done("text"));
    });
    signal(SIGPIPE, before);
    EXPECT_EQ(status, ExitStatus::failed);
}

TEST(Output, of_an_error_before_the_turn_has_the_format_asked_for) {
    const auto fail = [](Format format) {
        Printed printed;
        return printed.by([&] {
            Output output("chorus-run", in(format));
            output.fail(base::Error(base::ErrorCode::not_found, "agent 'x': there is none",
                                    "chorus-init x"),
                        "x");
        });
    };
    EXPECT_EQ(fail(Format::text).out, "");
    EXPECT_EQ(fail(Format::text).err,
              "chorus-run: error: agent 'x': there is none\nchorus-run: hint: chorus-init x\n");
    const chat::TurnResult result = chat::parse_result(fail(Format::json).out);
    EXPECT_EQ(result.exit_status, ExitStatus::not_found);
    EXPECT_EQ(result.state, State::failed);
    ASSERT_TRUE(result.error);
    EXPECT_EQ(result.error->code(), base::ErrorCode::not_found);
    const std::string line = fail(Format::stream_json).out;
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
    EXPECT_NE(line.find("\"final\":true"), std::string::npos);
}

}  // namespace
}  // namespace chorus::cli
