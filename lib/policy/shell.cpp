#include "policy/shell.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "policy/shell_scan.hpp"
#include "policy/starters.hpp"

namespace chorus::policy {
namespace {

using What = Starts::What;

constexpr int most_wrappers = 8;

// Whether a word can name a program: letters, digits and _ + . / - as they are written, and no
// keyword.
bool names_program(const ScannedCommand& command, std::size_t at) {
    constexpr std::string_view letters =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_+./-";
    const std::string& word = command.words[at];
    return !word.empty() && word.find_first_not_of(letters) == std::string::npos &&
           command.raw.compare(command.places[at], word.size(), word) == 0 &&
           !is_listed(word,
                      "case coproc do done elif else esac fi for function if in select then "
                      "time until while");
}

// The command and what it wraps, outermost first. False where that cannot be told, with the last
// of them being what hides something.
bool append_parts(const ScannedCommand& command, std::vector<std::string>& parts) {
    std::size_t word = 0;
    for (int depth = 0; depth <= most_wrappers; ++depth) {
        parts.push_back(command.raw.substr(word == 0 ? 0 : command.places[word]));
        const Starts starts = what_starts(Words(command.words).subspan(word));
        if (starts.what != What::inner) return starts.what == What::itself;
        word += starts.at;
        if (!names_program(command, word)) return false;
    }
    return false;
}

bool changes_directory(const ScannedCommand& command) {
    return is_listed(command.words.front(), "cd pushd popd");
}

// A repository elsewhere has a configuration of its own, which names programs.
bool depends_on_directory(const ScannedCommand& command) {
    return command.uses_files ||
           std::any_of(command.words.begin(), command.words.end(),
                       [](const std::string& word) { return base_name(word) == "git"; });
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

Reading read(std::string_view text) {
    if (base::visible(text, base::Newlines::escape) != text)
        return {{}, "it holds a newline, a hidden character or a long run of blanks"};
    Variables variables;
    const Scan scan = scan_command(text, variables);
    const auto& commands = scan.commands;
    if (scan.plain_bytes < text.size())
        return {{}, "at " + quoted_start(text.substr(scan.plain_bytes))};
    if (scan.plain_bytes == text.size()) return {{}, "there is no command at its end"};
    if (std::any_of(commands.begin(), commands.end(), changes_directory) &&
        std::any_of(commands.begin(), commands.end(), depends_on_directory))
        return {{}, "it changes the directory, and what is done there depends on it"};
    Reading reading;
    for (const ScannedCommand& one : commands) {
        if (!names_program(one, 0))
            return {{}, "at " + quoted_start(std::string_view(one.raw).substr(one.places.front()))};
        if (!append_parts(one, reading.parts))
            return {{},
                    quoted_start(reading.parts.back()) +
                        " may start or write what its words do not tell"};
    }
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
