// The strict half of reading a command: words, quotes, plain redirections and four operators, and
// nothing that the shell would still change.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::policy {

struct Word {
    std::string text;    // without its quotes
    std::size_t at = 0;  // where it begins in the command
    bool bare = true;    // neither quoted nor escaped
};

struct PlainCommand {
    std::vector<Word> words;  // at least one
    std::size_t at = 0;       // where its text begins and ends in the command
    std::size_t end = 0;
    bool uses_files = false;  // a redirection other than to /dev/null or a descriptor
};

// Nothing where the text is more than plain words, see simple_commands; then `stopped_at` is the
// place of what is not.
std::optional<std::vector<PlainCommand>> read_plain_commands(std::string_view command,
                                                             std::size_t& stopped_at);
// Whether nothing in it is hidden: no newline, no control, invisible or bidirectional character, no
// long run of blanks. A command that does not is no plain one.
bool shows_what_it_is(std::string_view command);

// A word that can name a program: bare letters, digits and _ + . / -, and no keyword.
bool is_program_word(const Word& word);

}  // namespace chorus::policy
