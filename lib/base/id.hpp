#pragma once

#include <string>
#include <string_view>

namespace chorus::base {

// A random UUID (version 4), from getrandom(2).
std::string random_uuid();
// `length` characters of [a-z0-9] without l, o, 0 and 1: an id that a person types.
std::string random_short_id(std::size_t length);
// [a-z0-9][a-z0-9_-]{0,62}
bool is_agent_name(std::string_view name);

}  // namespace chorus::base
