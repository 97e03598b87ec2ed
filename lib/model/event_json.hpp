// Reads a server's JSON without trusting its shape. Include it in .cpp files only, as
// chat/json.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "chat/json.hpp"

namespace chorus::model {

using chat::Json;
using chat::member;

// Parses an event's data. Returns nothing if it is not JSON within the bounds. Invalid UTF-8 and
// lone surrogates, which some servers send, become U+FFFD.
//
// Servers that count UTF-16 units split a surrogate pair between two events: `half`, if given,
// keeps the first half until the second arrives.
std::optional<Json> parse_event(std::string_view data, std::string* half = nullptr);

// Whether an event is an error of any shape: {"error":…}, {"object":"error",…}, or a message
// without a type.
bool is_complaint(const Json& event);

// An object's member that is a list; an empty list if there is none.
const Json& list_in(const Json& object, const char* key);
// A view into the value; empty if it is not a string.
std::string_view text_of(const Json& value);
std::string_view text_of(const Json& object, const char* key);
// Returns a count of tokens or an index, which may be quoted; nothing if it is not a number from 0
// to 1e12.
std::optional<std::int64_t> count_of(const Json& object, const char* key);
// Raises `count` to the object's value if that is larger: servers report counts more than once,
// some as 0 the second time.
void take_larger(std::int64_t& count, const Json& object, const char* key);

}  // namespace chorus::model
