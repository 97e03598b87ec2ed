// Reads the JSON of one row of the catalog. The functions throw Error(config_invalid) that begins
// with `where` and names the member. For this room's own use; include it in .cpp files only.
#pragma once

#include <string>
#include <string_view>

#include "chat/json.hpp"
#include "model/catalog.hpp"

namespace chorus::model {

Provider read_provider(const chat::Json& row, const std::string& where);
// `today`: a date after it is refused; "" allows any.
ModelFacts read_model(const chat::Json& row, const std::string& where, std::string_view today);

}  // namespace chorus::model
