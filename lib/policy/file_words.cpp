#include <set>

#include "policy/shell.hpp"
#include "policy/shell_scan.hpp"

namespace chorus::policy {
namespace {

constexpr int most_depth = 8;

using Words = std::set<std::string, std::less<>>;

// What is only written to is no input of the command.
bool is_target(std::string_view text, std::size_t at) {
    const std::size_t before = text.substr(0, at).find_last_not_of(" \t'\"");
    return before != std::string::npos && text[before] == '>' &&
           (before == 0 || text[before - 1] != '<');
}

void add_pieces(std::string_view text, std::string_view separators, Words& words) {
    for (std::size_t at = 0; (at = text.find_first_not_of(separators, at)) != std::string::npos;) {
        const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
        if (!is_target(text, at)) words.emplace(text.substr(at, end - at));
        at = end;
    }
}

void add_words(std::string_view text, int depth, Variables& variables, Words& words) {
    add_pieces(text, " \t\n;|&<>()$`'\"=@:,{}\\", words);
    add_pieces(text, "'\"", words);
    const Scan scan = scan_command(text, variables);
    for (const ScannedCommand& command : scan.commands)
        for (const std::string& word : command.words) {
            words.insert(word);
            add_pieces(word, "=@:,", words);
        }
    if (depth == most_depth) return;
    for (const std::string& inner : scan.unread) add_words(inner, depth + 1, variables, words);
}

}  // namespace

std::vector<std::string> file_words(std::string_view command) {
    Words words;
    Variables variables;
    add_words(command, 0, variables, words);
    return {words.begin(), words.end()};
}

}  // namespace chorus::policy
