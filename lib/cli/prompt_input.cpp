#include "cli/prompt_input.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "sys/clock.hpp"
#include "sys/fd.hpp"
#include "sys/named_file.hpp"

namespace chorus::cli {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::int64_t notice_after_ms = 2'000;

[[noreturn]] void refuse_missing() {
    throw Error(
        ErrorCode::bad_request, "prompt: there is none",
        "pass it as words, with -p TEXT, with -f FILE, or on stdin: echo … | chorus-run NAME");
}

void check_utf8(const std::string& text, const std::string& source) {
    if (const auto bad = base::find_invalid_utf8(text))
        throw Error(ErrorCode::bad_request,
                    source + ": not valid UTF-8 at byte " + std::to_string(*bad),
                    "convert it first, for example with iconv -t utf-8");
    if (text.find('\0') != std::string::npos)
        throw Error(ErrorCode::bad_request,
                    source + ": a NUL byte at byte " + std::to_string(text.find('\0')));
}

bool word_is_dash(const PromptSources& sources) {
    return sources.words.size() == 1 && sources.words.front() == "-" && !sources.words_are_literal;
}

}  // namespace

bool names_stdin(const PromptSources& sources) {
    return word_is_dash(sources) || sources.file == "-";
}

std::string read_stdin(std::int64_t timeout_ms, std::size_t most,
                       const std::function<void(const std::string&)>& notice) {
    std::string text;
    sys::Buffer buffer;
    const std::int64_t start = sys::monotonic_ms();
    bool told = false;
    bool anything = false;
    for (;;) {
        const std::int64_t waited = sys::monotonic_ms() - start;
        pollfd ready{STDIN_FILENO, POLLIN, 0};
        std::int64_t patience = -1;
        if (!anything) {
            patience = timeout_ms - waited;
            if (patience <= 0)
                throw Error(ErrorCode::bad_request,
                            "stdin: no input within " + base::seconds_text(timeout_ms),
                            "redirect it from /dev/null or use --stdin ignore");
            if (!told)
                patience = std::min(patience, std::max<std::int64_t>(1, notice_after_ms - waited));
        }
        const int count = poll(&ready, 1, static_cast<int>(patience));
        if (count < 0 && errno == EINTR)
            throw Error(ErrorCode::canceled, "stdin: interrupted while reading it");
        if (count == 0) {
            if (!told && waited + 1 >= notice_after_ms) {
                told = true;
                notice("waiting for stdin; end it with ^D, or use --stdin ignore");
            }
            continue;
        }
        const ssize_t size = read(STDIN_FILENO, buffer.data(), buffer.size());
        if (size < 0 && errno == EINTR)
            throw Error(ErrorCode::canceled, "stdin: interrupted while reading it");
        if (size < 0 && errno == EAGAIN) continue;
        if (size < 0) throw base::system_error("stdin");
        if (size == 0) return text;
        anything = true;
        text.append(buffer.data(), static_cast<std::size_t>(size));
        if (text.size() > most)
            throw Error(ErrorCode::bad_request,
                        "stdin: more than " + std::to_string(most >> 20) + " MiB",
                        "put it into a file of the workspace and name it in the prompt");
    }
}

ReadPrompt read_prompt(const PromptSources& sources,
                       const std::function<void(const std::string&)>& notice) {
    const bool dash = names_stdin(sources);
    const bool words = !sources.words.empty() && !word_is_dash(sources);
    const int given = !sources.words.empty() + sources.text.has_value() + !sources.file.empty();
    if (given > 1)
        throw Error(ErrorCode::bad_request, "prompt: given more than once",
                    "words, -p, -f and - exclude each other; stdin may be added to one of them");
    const bool terminal = isatty(STDIN_FILENO) == 1;
    const bool readable =
        !terminal && sources.stdin_use != StdinUse::ignore && sys::can_read(STDIN_FILENO);

    const auto read = [&] {
        return read_stdin(sources.stdin_timeout_ms, base::limits::prompt_bytes, notice);
    };
    ReadPrompt prompt;
    if (given == 0 || dash) {
        if (!dash && !readable) refuse_missing();
        prompt.text = read();
        prompt.text_is_stdin = true;
        check_utf8(prompt.text, "stdin");
    } else {
        prompt.text = words ? base::join(sources.words, " ")
                      : sources.text
                          ? *sources.text
                          : sys::read_input_file(sources.file, base::limits::prompt_bytes);
        check_utf8(prompt.text, sources.file.empty() ? "prompt" : sources.file);
        if (prompt.text.size() > base::limits::prompt_bytes)
            throw Error(ErrorCode::bad_request, "prompt: more than 10 MiB");
        if (readable) prompt.stdin_text = read();
        check_utf8(prompt.stdin_text, "stdin");
    }
    if (base::trim(prompt.text).empty() && base::trim(prompt.stdin_text).empty()) {
        if (given == 0) refuse_missing();
        throw Error(ErrorCode::bad_request, "prompt: it is empty");
    }
    return prompt;
}

}  // namespace chorus::cli
