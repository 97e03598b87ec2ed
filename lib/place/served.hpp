// Which models can be used now.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/configuration.hpp"
#include "model/choice.hpp"
#include "model/listing.hpp"
#include "sys/environment.hpp"
#include "sys/signals.hpp"

namespace chorus::place {

struct Served {
    model::Provider provider;
    bool is_usable = false;           // its key is set, or its local server answers
    std::vector<std::string> models;  // in full; those it has listed, else those of the catalog
    std::optional<model::Listing> asked = {};
};

enum class Ask {
    local,  // servers that need no key, whose models are not known otherwise
    all,    // these, and each provider whose key is set
};
struct KnownKeys {
    // Where the provider's key is; "" for nowhere.
    std::function<std::string(const model::Provider&)> place;
    // May throw Error: that is a failure of its provider only.
    std::function<std::string(const model::Provider&)> read;
};
// In order of preference; `provider`: only that one, "" for all. Error(no_driver) if there is no
// such provider; Error(canceled) after a signal.
std::vector<Served> served(const model::Catalog& catalog, const model::AvailableModels& available,
                           const agent::HomeConfiguration& home, const KnownKeys& keys,
                           const sys::Environment& environment, const std::string& provider,
                           Ask ask, const sys::Interrupt& interrupt);
// Asks for the models of one provider. Error(canceled) after a signal.
model::Listing ask_provider(model::Endpoint endpoint, const sys::Environment& environment,
                            const sys::Interrupt& interrupt);

}  // namespace chorus::place
