// Where the prompt comes from: words, -p, -f, stdin, or a prompt and stdin (chorus-run(1), PROMPT).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace chorus::cli {

enum class StdinUse { append, ignore, whole };  // whole: --stdin inline, nothing is put aside

struct PromptSources {
    std::vector<std::string> words;   // "-" alone means stdin
    bool words_are_literal = false;   // it does not: they stand behind "--"
    std::optional<std::string> text;  // -p
    std::string file;                 // -f
    StdinUse stdin_use = StdinUse::append;
    std::int64_t stdin_timeout_ms = 600'000;
};

struct ReadPrompt {
    std::string text;
    std::string stdin_text;      // to be appended in a <stdin> block; "" for none
    bool text_is_stdin = false;  // `text` itself came from there
};

// Error(bad_request) for no prompt, an empty one, more than one source, invalid UTF-8 (with the
// byte's offset), more than 10 MiB, and a pipe on which nothing came in time. `notice` is told
// once, after 2 s, that stdin is waited for.
ReadPrompt read_prompt(const PromptSources& sources,
                       const std::function<void(const std::string&)>& notice);

}  // namespace chorus::cli
