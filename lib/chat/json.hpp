// Reads JSON within bounds. Include it in .cpp files only: nlohmann's header costs a second a file.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/limits.hpp"

namespace chorus::chat {

// Keys keep the order they were written in.
using Json = nlohmann::ordered_json;

enum class DuplicateKeys { last_wins, refuse };

// Throws Error(code) naming line and column, the depth limit, the duplicate key or the size limit.
// `what` begins the message: "agent.json".
Json parse_json(std::string_view text, std::string_view what,
                DuplicateKeys duplicates = DuplicateKeys::last_wins,
                std::size_t most_bytes = base::limits::json_bytes,
                base::ErrorCode code = base::ErrorCode::failed);
// Throws as parse_json does, for duplicate keys too, in time that grows with the text alone. A Json
// of an object with very many members takes longer.
void require_json(std::string_view text, std::string_view what, std::size_t most_bytes,
                  base::ErrorCode code);
// Returns nothing if the text is not JSON within the bounds.
std::optional<Json> try_parse_json(std::string_view text,
                                   std::size_t most_bytes = base::limits::json_bytes);
// Returns compact JSON; invalid UTF-8 in strings is replaced.
std::string dump(const Json& value);
// Returns null if `object` is not an object or has no such member.
const Json& member(const Json& object, const char* key);
// An object's member of that type, or the fallback.
std::string string_or(const Json& object, const char* key, std::string fallback = {});
std::int64_t integer_or(const Json& object, const char* key, std::int64_t fallback = 0);

// Returns a message's "external_id", or "discord_message_id" as older programs name it; "" if it
// has none or it is longer than 256 bytes.
std::string external_id_of(const Json& message);

}  // namespace chorus::chat
