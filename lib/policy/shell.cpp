#include "policy/shell.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "policy/option_words.hpp"
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

// The command and what it wraps, outermost first. False where that cannot be told.
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

bool uses_files(const PlainCommand& command) {
    return command.uses_files;
}

}  // namespace

std::optional<std::vector<std::string>> simple_commands(std::string_view command) {
    const auto commands = read_plain_commands(command);
    if (!commands) return std::nullopt;
    // Elsewhere a relative name is no file of the workspace.
    if (std::any_of(commands->begin(), commands->end(), changes_directory) &&
        std::any_of(commands->begin(), commands->end(), uses_files))
        return std::nullopt;
    std::vector<std::string> parts;
    for (const PlainCommand& one : *commands)
        if (!append_parts(one, command, parts)) return std::nullopt;
    return parts;
}

}  // namespace chorus::policy
