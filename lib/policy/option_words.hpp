// Whether a word of a command line is one of some options, however it is spelt.
#pragma once

#include <string_view>

namespace chorus::policy {

// `options` is a list with blanks. "--exec" is met by its abbreviations and with "=value", "-x" by
// any cluster of letters that holds it, "-exec" and "exec" by the word itself or with "=value".
bool is_option_of(std::string_view word, std::string_view options);
// One of a list with blanks, exactly.
bool is_listed(std::string_view word, std::string_view list);

}  // namespace chorus::policy
