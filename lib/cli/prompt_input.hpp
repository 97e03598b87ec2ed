// Reads the prompt: from words, -p, -f or stdin, or from one of them and stdin (chorus-run(1),
// PROMPT).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.hpp"

namespace chorus::cli {

enum class StdinUse { append, ignore, whole };  // whole: --stdin inline, all of it in the message
constexpr base::EnumNames<StdinUse, 3> stdin_uses{{"append", "ignore", "inline"}};

struct PromptSources {
    std::vector<std::string> words;   // "-" alone means stdin
    bool words_are_literal = false;   // "-" is a word, as the words follow "--"
    std::optional<std::string> text;  // -p
    std::string file;                 // -f
    StdinUse stdin_use = StdinUse::append;
    std::int64_t stdin_timeout_ms = 600'000;
};

struct ReadPrompt {
    std::string text;
    std::string stdin_text;      // to be appended in a <stdin> block; "" for none
    bool text_is_stdin = false;  // `text` itself came from stdin
};

// Whether "-" makes stdin the prompt.
bool names_stdin(const PromptSources& sources);

// Reads stdin to its end. Throws Error(bad_request) for more than `most` bytes, and for a pipe
// without input until the timeout. Calls `notice` once, after waiting 2 s.
std::string read_stdin(std::int64_t timeout_ms, std::size_t most,
                       const std::function<void(const std::string&)>& notice);

// Throws Error(bad_request) for no prompt, an empty one, more than one source, invalid UTF-8 (with
// the byte's offset), more than 10 MiB, and a pipe without input until the timeout. Calls `notice`
// once, after waiting 2 s for stdin.
ReadPrompt read_prompt(const PromptSources& sources,
                       const std::function<void(const std::string&)>& notice);

}  // namespace chorus::cli
