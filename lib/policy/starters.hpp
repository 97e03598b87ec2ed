// Determines which other programs a command starts.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace chorus::policy {

using Words = std::span<const std::string>;

// Returns the place of the word that begins the command which the program starts, or 0 if it starts
// none. Returns nothing if the words do not determine that. `words` are unquoted; the first is the
// program, with or without its directory.
std::optional<std::size_t> what_starts(Words words);

// "/usr/bin/python3.11" is "python3.11".
std::string_view base_name(std::string_view program);
// sh, bash, dash and the like, which run their arguments or their input.
bool is_shell(std::string_view program);
// Whether the word is one of a list separated by blanks.
bool is_listed(std::string_view word, std::string_view list);

}  // namespace chorus::policy
