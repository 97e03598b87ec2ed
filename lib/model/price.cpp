#include "model/price.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace chorus::model {
namespace {

constexpr std::int64_t price_unit = 1'000'000;  // tokens

// A server may report any number; the products must not overflow.
constexpr std::int64_t most_counted = 10'000'000'000;

std::int64_t counted(std::int64_t tokens) {
    return std::clamp<std::int64_t>(tokens, 0, most_counted);
}

const Price& price_for(const std::vector<Price>& prices, std::int64_t input_tokens) {
    const Price* found = &prices.front();
    for (const Price& price : prices)
        if (input_tokens > price.above_tokens) found = &price;
    return *found;
}

std::int64_t dearest_input(const Price& price) {
    return std::max({price.input, price.cache_read.value_or(0), price.cache_write.value_or(0)});
}

base::MicroUsd rounded_up(double sum) {
    return static_cast<base::MicroUsd>(std::ceil(sum / price_unit));
}

double product(std::int64_t tokens, std::int64_t price) {
    return static_cast<double>(counted(tokens)) * static_cast<double>(price);
}

}  // namespace

base::MicroUsd cost_of(const std::vector<Price>& prices, const chat::Usage& usage) {
    if (usage.input_tokens <= 0 && usage.output_tokens <= 0) return 0;
    if (prices.empty()) return base::unknown_cost;
    const Price& price = price_for(prices, usage.input_tokens);
    if ((usage.cache_read_tokens > 0 && !price.cache_read) ||
        (usage.cache_write_tokens > 0 && !price.cache_write))
        return base::unknown_cost;
    const std::int64_t fresh =
        usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens;
    return rounded_up(product(fresh, price.input) + product(usage.output_tokens, price.output) +
                      product(usage.cache_read_tokens, price.cache_read.value_or(0)) +
                      product(usage.cache_write_tokens, price.cache_write.value_or(0)));
}

base::MicroUsd most_cost(const std::vector<Price>& prices, std::int64_t input_tokens,
                         std::int64_t output_tokens) {
    if (prices.empty()) return base::unknown_cost;
    const Price& price = price_for(prices, input_tokens);
    return rounded_up(product(input_tokens, dearest_input(price)) +
                      product(output_tokens, price.output));
}

std::int64_t output_for(const std::vector<Price>& prices, std::int64_t input_tokens,
                        base::MicroUsd left) {
    const Price& price = price_for(prices, input_tokens);
    const double rest = static_cast<double>(left) * static_cast<double>(price_unit) -
                        product(input_tokens, dearest_input(price));
    if (rest < 0) return -1;
    if (price.output == 0) return std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(rest / static_cast<double>(price.output));
}

}  // namespace chorus::model
