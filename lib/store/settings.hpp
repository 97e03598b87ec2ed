#pragma once

#include <string>
#include <string_view>

#include "store/store.hpp"

namespace chorus::store {

// Returns machine state by scope ("home", "agent/3") and key; never configuration. "" if it is not
// set.
std::string find_setting(Store& store, std::string_view scope, std::string_view key);
// Runs inside a transaction of the caller.
void set_setting(Store& store, std::string_view scope, std::string_view key,
                 std::string_view value);

}  // namespace chorus::store
