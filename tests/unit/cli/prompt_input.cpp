#include "cli/prompt_input.hpp"

#include <chrono>
#include <thread>

#include "base/limits.hpp"
#include "streams.hpp"

namespace chorus::cli {
namespace {

using base::ErrorCode;
using test::error_of;
using test::put;
using test::says;
using test::Scratch;

// What comes of these sources with `text` on stdin.
ReadPrompt read(const PromptSources& sources, const std::string& text = {}) {
    const Input input(text);
    return read_prompt(sources, [](const std::string&) {});
}
base::Error refused(const PromptSources& sources, const std::string& text = {}) {
    const base::Error error = error_of([&] { (void)read(sources, text); });
    EXPECT_EQ(error.code(), ErrorCode::bad_request) << error.message();
    return error;
}

PromptSources words(std::vector<std::string> given) {
    PromptSources sources;
    sources.words = std::move(given);
    return sources;
}
PromptSources dash_p(std::string given) {
    PromptSources sources;
    sources.text = std::move(given);
    return sources;
}
PromptSources dash_f(std::string path) {
    PromptSources sources;
    sources.file = std::move(path);
    return sources;
}

TEST(Prompt, is_words_text_file_or_stdin) {
    const Scratch scratch;
    put(scratch / "p.txt", "from a file\n");
    EXPECT_EQ(read(words({"fix", "the  bug"})).text, "fix the  bug");
    EXPECT_EQ(read(dash_p("as\ntext")).text, "as\ntext");
    EXPECT_EQ(read(dash_f(scratch / "p.txt")).text, "from a file\n");
    const ReadPrompt piped = read({}, "from stdin\n");
    EXPECT_EQ(piped.text, "from stdin\n");
    EXPECT_TRUE(piped.text_is_stdin);
    EXPECT_EQ(piped.stdin_text, "");
    EXPECT_EQ(read(words({"-"}), "from stdin").text, "from stdin");
    EXPECT_EQ(read(words({"a", "-"})).text, "a -");
}

TEST(Prompt, has_what_stdin_holds_beside_it) {
    const ReadPrompt prompt = read(words({"explain"}), "line\nline\n");
    EXPECT_EQ(prompt.text, "explain");
    EXPECT_EQ(prompt.stdin_text, "line\nline\n");
    EXPECT_FALSE(prompt.text_is_stdin);
    EXPECT_EQ(read(dash_p(""), "only stdin").stdin_text, "only stdin");
    EXPECT_EQ(read(words({"explain"})).stdin_text, "");
}

TEST(Prompt, leaves_stdin_alone_where_told_so) {
    PromptSources sources = words({"x"});
    sources.stdin_use = StdinUse::ignore;
    sources.stdin_timeout_ms = 60'000;
    const Input input("unread", Input::Writer::stays);
    EXPECT_EQ(read_prompt(sources, {}).stdin_text, "");
    char first = 0;
    EXPECT_EQ(::read(STDIN_FILENO, &first, 1), 1);
    EXPECT_EQ(first, 'u');
}

TEST(Prompt, comes_from_one_place_only) {
    PromptSources sources = words({"x"});
    sources.text = "y";
    EXPECT_TRUE(says(refused(sources), "given more than once"));
    sources = dash_p("x");
    sources.file = "/etc/hostname";
    EXPECT_TRUE(says(refused(sources), "given more than once"));
    sources = words({"-"});
    sources.text = "y";
    EXPECT_TRUE(says(refused(sources), "given more than once"));
}

TEST(Prompt, is_not_nothing) {
    for (const std::string& blank : {std::string(), std::string(" \n\t")}) {
        EXPECT_TRUE(says(refused({}, blank), "prompt: there is none"));
        EXPECT_TRUE(says(refused(words({"-"}), blank), "prompt: it is empty"));
        EXPECT_TRUE(says(refused(dash_p(blank), blank), "prompt: it is empty"));
        EXPECT_TRUE(says(refused(words({blank})), "prompt: it is empty"));
    }
    PromptSources ignoring;
    ignoring.stdin_use = StdinUse::ignore;
    EXPECT_TRUE(says(refused(ignoring, "text"), "prompt: there is none"));
    EXPECT_TRUE(says(refused(ignoring, "text"), "-p TEXT"));
}

TEST(Prompt, is_valid_utf8_or_names_the_byte) {
    const Scratch scratch;
    put(scratch / "p.txt", "ok\xff");
    EXPECT_TRUE(says(refused(words({"abc\xc3"})), "prompt: not valid UTF-8 at byte 3"));
    EXPECT_TRUE(says(refused(dash_p("\xed\xa0\x80")), "at byte 0"));
    EXPECT_TRUE(says(refused(dash_f(scratch / "p.txt")), "p.txt: not valid UTF-8 at byte 2"));
    EXPECT_TRUE(says(refused({}, "äx\x80"), "stdin: not valid UTF-8 at byte 3"));
    EXPECT_TRUE(says(refused(words({"x"}), "\xf5"), "stdin: not valid UTF-8 at byte 0"));
    EXPECT_TRUE(says(refused({}, std::string("a\0b", 3)), "stdin: a NUL byte at byte 1"));
}

TEST(Prompt, may_be_ten_mebibytes_and_no_more) {
    const Scratch scratch;
    const std::string most(base::limits::prompt_bytes, 'x');
    put(scratch / "most", most);
    put(scratch / "more", most + "x");
    EXPECT_EQ(read(dash_f(scratch / "most")).text.size(), most.size());
    EXPECT_TRUE(says(refused(dash_f(scratch / "more")), "more than 10 MiB"));
    EXPECT_TRUE(says(refused(dash_p(most + "x")), "more than 10 MiB"));
    const auto from_stdin = [&](const std::string& path) {
        const sys::Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
        const Exchanged exchanged(STDIN_FILENO, file.get());
        return read_prompt({}, [](const std::string&) {});
    };
    EXPECT_EQ(from_stdin(scratch / "most").text.size(), most.size());
    EXPECT_EQ(error_of([&] { (void)from_stdin(scratch / "more"); }).code(), ErrorCode::bad_request);
}

TEST(Prompt, in_a_file_that_cannot_be_read_is_an_error) {
    const Scratch scratch;
    EXPECT_TRUE(says(error_of([&] { (void)read(dash_f(scratch / "none")); }), scratch / "none"));
    EXPECT_TRUE(says(error_of([&] { (void)read(dash_f(scratch.path())); }), scratch.path()));
}

TEST(Prompt, waits_for_no_silent_pipe_for_ever) {
    PromptSources sources;
    sources.stdin_timeout_ms = 50;
    const Input input("", Input::Writer::stays);
    const auto began = std::chrono::steady_clock::now();
    const base::Error error =
        error_of([&] { (void)read_prompt(sources, [](const std::string&) {}); });
    EXPECT_EQ(error.code(), ErrorCode::bad_request);
    EXPECT_TRUE(says(error, "stdin: no input within"));
    EXPECT_TRUE(says(error, "--stdin ignore"));
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
}

TEST(Prompt, says_once_that_it_waits) {
    PromptSources sources;
    sources.stdin_timeout_ms = 2'300;
    std::vector<std::string> notices;
    const Input input("", Input::Writer::stays);
    (void)error_of([&] {
        (void)read_prompt(sources, [&](const std::string& text) { notices.push_back(text); });
    });
    ASSERT_EQ(notices.size(), 1U);
    EXPECT_NE(notices[0].find("--stdin ignore"), std::string::npos);
}

TEST(Prompt, takes_what_comes_slowly_whole) {
    sys::Pipe pipe = sys::make_pipe();
    std::thread writer([&] {
        for (const char* part : {"one ", "t\xc3", "\xa4", " three"}) {
            sys::write_all(pipe.write_end.get(), part, "pipe");
            std::this_thread::sleep_for(std::chrono::milliseconds(40));
        }
        pipe.write_end.reset();
    });
    PromptSources sources;
    sources.stdin_timeout_ms = 60;  // for the first byte alone
    const Exchanged exchanged(STDIN_FILENO, pipe.read_end.get());
    const ReadPrompt prompt = read_prompt(sources, [](const std::string&) {});
    writer.join();
    EXPECT_EQ(prompt.text, "one tä three");
}

}  // namespace
}  // namespace chorus::cli
