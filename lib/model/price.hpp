// Computes what requests cost, by the catalog's prices.
#pragma once

#include <cstdint>
#include <vector>

#include "base/money.hpp"
#include "chat/message.hpp"
#include "model/catalog.hpp"

namespace chorus::model {

// Rounded up; base::unknown_cost without a price for tokens that were used.
base::MicroUsd cost_of(const std::vector<Price>& prices, const chat::Usage& usage);

// The most that a request costs, whatever of the prompt is read from or written to a cache.
base::MicroUsd most_cost(const std::vector<Price>& prices, std::int64_t input_tokens,
                         std::int64_t output_tokens);
// How many tokens of output `left` pays for, besides the prompt; negative if not even that.
std::int64_t output_for(const std::vector<Price>& prices, std::int64_t input_tokens,
                        base::MicroUsd left);

}  // namespace chorus::model
