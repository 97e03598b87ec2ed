// The compiled form of a catalog of providers and models: a line for each, `KEY<tab>JSON`, sorted
// by key, so that one is found without reading the others. A key is "" (the providers in order of
// preference, an array), "PROVIDER", or "PROVIDER/MODEL"; the JSON is the object of the source
// file, or for another name of a model the name that has the object. The source,
// template/models.json or models.json in the home, is described in chorus-models(7).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::model {

// Merges the source over `below`, which is compiled, and returns the lines that differ from it.
// Throws Error(config_invalid) that begins with `file` and names the member. `today`, as
// "2026-11-26", is the newest date that a figure may have.
std::string compile_rows(std::string_view source, std::string_view file, std::string_view below,
                         std::string_view today);

// The rows of both; of a key that both have, the row above.
std::string merged_rows(std::string_view above, std::string_view below);

// Returns the JSON of a key.
std::optional<std::string_view> find_row(std::string_view rows, std::string_view key);

// Returns the keys that begin with `start` and, after it, contain no "/" if `start` is empty.
std::vector<std::string> row_keys(std::string_view rows, std::string_view start);

}  // namespace chorus::model
