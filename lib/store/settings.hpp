#pragma once

#include <string>
#include <string_view>

#include "store/agents.hpp"

namespace chorus::store {

// Returns machine state by scope ("home", "agent/3") and key; never configuration. "" if it is not
// set.
std::string find_setting(Store& store, std::string_view scope, std::string_view key);
// Runs inside a transaction of the caller.
void set_setting(Store& store, std::string_view scope, std::string_view key,
                 std::string_view value);

// Gives an agent those of another. Runs inside a transaction of the caller.
void copy_settings(Store& store, AgentId from, AgentId to);

}  // namespace chorus::store
