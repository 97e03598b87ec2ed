// The bytes of attached files, once for each agent, by their SHA-256 (64 hexadecimal digits).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/agents.hpp"

namespace chorus::store {

// Keeps the bytes unless the agent has them. Runs inside a transaction of the caller.
void keep_attachment(Store& store, AgentId agent, std::string_view sha256, std::string_view bytes);
std::optional<std::string> find_attachment(Store& store, AgentId agent, std::string_view sha256);

}  // namespace chorus::store
