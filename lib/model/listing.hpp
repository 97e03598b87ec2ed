// Asks a provider which models it serves.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/model.hpp"

namespace chorus::model {

struct Listing {
    std::vector<std::string> models;  // without the provider's name, in the server's order
    std::map<std::string, std::int64_t> context_tokens;  // of those for which the server states it
    std::optional<Failure> failure = {};
};
// One request; the key is valid if there is no failure. Of more than 2,000 models the first are
// kept.
Listing list_models(const Endpoint& endpoint, net::Client& client,
                    const Interruption& interruption);

}  // namespace chorus::model
