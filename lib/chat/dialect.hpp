// The JSON that the programs print, chorus-json(7): each object names its schema, every member is
// there, and what is absent is null.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/time.hpp"
#include "chat/json_text.hpp"
#include "chat/message.hpp"

namespace chorus::chat {

// An object that is open and has its schema: "turn" is chorus.turn/1.
JsonText open_object(std::string_view name);
void write_text(JsonText& out, std::string_view key, std::string_view value);  // null for ""
void write_time(JsonText& out, std::string_view key, base::TimeMs time);       // null for 0
// null where it is `none`.
void write_number(JsonText& out, std::string_view key, std::int64_t value, std::int64_t none);
void write_texts(JsonText& out, std::string_view key, const std::vector<std::string>& values);
void write_cost(JsonText& out, double usd);  // cost_usd; null below 0
void write_usage(JsonText& out, const Usage& usage);
// JSON that is text already; null for "".
void write_json(JsonText& out, std::string_view key, std::string_view json);
// The member error, null where all of it is empty: code (null where nobody knows), category,
// message and hint.
struct WrittenError {
    std::string_view code;
    std::string_view category;
    std::string_view message;
    std::string_view hint;
};
void write_error(JsonText& out, const WrittenError& error);

}  // namespace chorus::chat
