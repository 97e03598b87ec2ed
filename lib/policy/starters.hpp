// Programs that start other programs, and whether their words tell which.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace chorus::policy {

using Words = std::span<const std::string>;

// What a command starts besides the program that it names: the place of the word where that command
// begins, 0 for nothing. Nothing where it cannot be told, or the words hide it. `words` are
// unquoted; the first is the program, with or without its directory.
std::optional<std::size_t> what_starts(Words words);

// "/usr/bin/python3.11" is "python3.11".
std::string_view base_name(std::string_view program);
// sh, bash, dash and their like, which run what they are told or fed.
bool is_shell(std::string_view program);
// One of a list with blanks, exactly.
bool is_listed(std::string_view word, std::string_view list);

}  // namespace chorus::policy
