// Which models can be used now.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/configuration.hpp"
#include "model/choice.hpp"
#include "model/listing.hpp"
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
// In order of preference; `provider`: only that one, "" for all. Error(no_driver) if there is no
// such provider; Error(canceled) after a signal.
std::vector<Served> served(const model::Catalog& catalog, const model::AvailableModels& available,
                           const agent::HomeConfiguration& home,
                           const sys::Environment& environment, const std::string& provider,
                           Ask ask, const sys::Interrupt& interrupt);

}  // namespace chorus::place
