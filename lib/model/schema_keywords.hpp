// Reads a schema: which keywords it may have, what their values are, and where the schemas in it
// are. For this room's own use; include it in .cpp files only, as chat/json.hpp.
#pragma once

#include <re2/re2.h>

#include <map>
#include <memory>
#include <string>

#include "chat/json.hpp"

namespace chorus::model {

using Tree = nlohmann::json;

// The patterns and the references of a schema, found once. Its pointers lead into the tree, which
// must not change.
struct SchemaParts {
    std::map<std::string, std::unique_ptr<const RE2>> patterns;
    std::map<const Tree*, const Tree*> references;  // of schemas with $ref, and their targets
};

// Throws Error(bad_request), which begins with `what`.
SchemaParts read_schema(const Tree& root, const std::string& what);

}  // namespace chorus::model
