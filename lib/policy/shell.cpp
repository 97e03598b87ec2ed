#include "policy/shell.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "policy/shell_words.hpp"
#include "policy/starters.hpp"

namespace chorus::policy {
namespace {

using What = Starts::What;

std::vector<std::string> texts(const std::vector<Word>& words, std::size_t from) {
    std::vector<std::string> all;
    for (std::size_t i = from; i < words.size(); ++i) all.push_back(words[i].text);
    return all;
}

constexpr int most_wrappers = 8;

// The command and what it wraps, outermost first. False where that cannot be told, with the last
// of them being what hides something.
bool append_parts(const PlainCommand& command, std::string_view whole,
                  std::vector<std::string>& parts) {
    std::size_t at = command.at;
    std::size_t word = 0;
    for (int depth = 0; depth <= most_wrappers; ++depth) {
        parts.emplace_back(base::trim(whole.substr(at, command.end - at)));
        const Starts starts = what_starts(texts(command.words, word));
        if (starts.what != What::inner) return starts.what == What::itself;
        word += starts.at;
        if (!is_program_word(command.words[word])) return false;
        at = command.words[word].at;
    }
    return false;
}

bool changes_directory(const PlainCommand& command) {
    return is_listed(command.words.front().text, "cd pushd popd");
}

// A repository elsewhere has a configuration of its own, which names programs.
bool depends_on_directory(const PlainCommand& command) {
    return command.uses_files ||
           std::any_of(command.words.begin(), command.words.end(),
                       [](const Word& word) { return base_name(word.text) == "git"; });
}

struct Reading {
    std::vector<std::string> parts;
    std::string refusal;  // why it is not simple, or ""
};

constexpr std::size_t most_shown_bytes = 40;

std::string quoted_start(std::string_view text) {
    const std::string_view shown = base::utf8_prefix(text, most_shown_bytes);
    return "'" + std::string(shown) + (shown.size() < text.size() ? "…'" : "'");
}

Reading read(std::string_view command) {
    if (!shows_what_it_is(command))
        return {{}, "it holds a newline, a hidden character or a long run of blanks"};
    std::size_t stopped_at = 0;
    const auto commands = read_plain_commands(command, stopped_at);
    if (!commands && stopped_at >= command.size()) return {{}, "there is no command at its end"};
    if (!commands) return {{}, "at " + quoted_start(command.substr(stopped_at))};
    if (std::any_of(commands->begin(), commands->end(), changes_directory) &&
        std::any_of(commands->begin(), commands->end(), depends_on_directory))
        return {{}, "it changes the directory, and what is done there depends on it"};
    Reading reading;
    for (const PlainCommand& one : *commands)
        if (!append_parts(one, command, reading.parts))
            return {{},
                    quoted_start(reading.parts.back()) +
                        " may start or write what its words do not tell"};
    return reading;
}

}  // namespace

std::optional<std::vector<std::string>> simple_commands(std::string_view command) {
    Reading reading = read(command);
    if (!reading.refusal.empty()) return std::nullopt;
    return std::move(reading.parts);
}

std::string why_not_simple(std::string_view command) {
    return read(command).refusal;
}

}  // namespace chorus::policy
