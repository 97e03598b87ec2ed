// Asks a provider which models it serves.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "model/model.hpp"

namespace chorus::model {

struct Listing {
    std::vector<std::string> models;  // without the provider's name, in the server's order
    // Each row is what the server states of a model: its JSON text in the form of models.json.
    std::map<std::string, std::string> rows;
    std::optional<Failure> failure = {};
};
// One request at the time `now`; the key is valid if there is no failure. Of more than 2,000 models
// the first are kept.
Listing list_models(const Endpoint& endpoint, net::Client& client, const Interruption& interruption,
                    base::TimeMs now);

}  // namespace chorus::model
