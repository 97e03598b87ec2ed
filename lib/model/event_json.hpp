// Reading a server's JSON without trusting its shape. Include it in .cpp files only, as
// chat/json.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "chat/json.hpp"

namespace chorus::model {

using chat::Json;

// An event's data. Nothing where it is not JSON within the bounds; invalid UTF-8 and lone
// surrogates, which servers let through, become U+FFFD.
//
// Servers that count UTF-16 units split a surrogate pair between two events of a stream: `half`,
// where it is given, keeps the first half of it until the second comes.
std::optional<Json> parse_event(std::string_view data, std::string* half = nullptr);

// Whether an event is an error, in whatever shape: {"error":…}, {"object":"error",…}, or a message
// that has no type.
bool is_complaint(const Json& event);

// null where `object` is none or has no such member.
const Json& member(const Json& object, const char* key);
// A view into the value; empty where it is not a string.
std::string_view text_of(const Json& value);
std::string_view text_of(const Json& object, const char* key);
// A count of tokens or an index, also in quotes; nothing where it is none or not a sensible one.
std::optional<std::int64_t> count_of(const Json& object, const char* key);
// Raises `count` to the object's where that is larger: servers report it more than once, some as 0
// the second time.
void take_larger(std::int64_t& count, const Json& object, const char* key);

}  // namespace chorus::model
