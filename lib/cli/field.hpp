// What is printed: texts of others as a field of a line, and members of an open JSON object.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "chat/json_text.hpp"

namespace chorus::cli {

// "1 message", "2 messages".
std::string counted(std::int64_t count, std::string_view noun);
// Without anything that moves a cursor, ends a line or a field.
std::string one_line(std::string_view text);
void write_text(chat::JsonText& out, std::string_view key, std::string_view value);
void write_time(chat::JsonText& out, std::string_view key, base::TimeMs time);  // null for 0
// null where it is `none`.
void write_number(chat::JsonText& out, std::string_view key, std::int64_t value, std::int64_t none);

}  // namespace chorus::cli
