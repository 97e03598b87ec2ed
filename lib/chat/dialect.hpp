// The JSON that the programs print, chorus-json(7): each object names its schema; every member is
// present, null if it has no value.
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

// Begins an object with its schema: "turn" is chorus.turn/1.
JsonText open_object(std::string_view name, std::size_t expected_bytes = 0);
void write_text(JsonText& out, std::string_view key, std::string_view value);  // null for ""
void write_time(JsonText& out, std::string_view key, base::TimeMs time);       // null for 0
// Null if the value equals `none`.
void write_number(JsonText& out, std::string_view key, std::int64_t value, std::int64_t none);
void write_texts(JsonText& out, std::string_view key, const std::vector<std::string>& values);
void write_cost(JsonText& out, base::MicroUsd cost);  // cost_usd in dollars; null if unknown
void write_usage(JsonText& out, const Usage& usage);
// JSON that is already text; null for "".
void write_json(JsonText& out, std::string_view key, std::string_view json);
// The member `error`: code (null if unknown), category, message and hint; null if code, category
// and message are all empty.
struct WrittenError {
    std::string_view code;
    std::string_view category;
    std::string_view message;
    std::string_view hint;
};
void write_error(JsonText& out, const WrittenError& error);

}  // namespace chorus::chat
