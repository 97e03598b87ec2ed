// Texts of others as a field of what is printed.
#pragma once

#include <string>
#include <string_view>

#include "chat/json_text.hpp"

namespace chorus::cli {

// Without anything that moves a cursor, ends a line or a field.
std::string one_line(std::string_view text);
// A member of an open object; what is no UTF-8 is replaced.
void write_text(chat::JsonText& out, std::string_view key, std::string_view value);

}  // namespace chorus::cli
