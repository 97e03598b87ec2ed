#include "model/price.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace chorus::model {
namespace {

const std::vector<Price> tiered{{0, 5'000'000, 25'000'000, 500'000, 6'250'000},
                                {200'000, 10'000'000, 50'000'000, 1'000'000, std::nullopt}};

TEST(Price, is_of_all_kinds_of_tokens) {
    EXPECT_EQ(cost_of(tiered, {1'000, 100, 0, 0}), 5'000 + 2'500);
    // the cached ones are among the input
    EXPECT_EQ(cost_of(tiered, {1'000, 100, 600, 200}), 200 * 5 + 600 / 2 + 1'250 + 2'500);
    EXPECT_EQ(cost_of(tiered, {}), 0);
}

TEST(Price, rises_with_the_prompt) {
    EXPECT_EQ(cost_of(tiered, {200'000, 0}), 1'000'000);
    EXPECT_EQ(cost_of(tiered, {200'001, 0}), 2'000'010);
}

TEST(Price, is_rounded_up) {
    EXPECT_EQ(cost_of({{0, 150'000, 600'000}}, {1, 0}), 1);
}

TEST(Price, that_is_not_known_is_never_guessed) {
    EXPECT_EQ(cost_of({}, {1, 0}), base::unknown_cost);
    EXPECT_EQ(cost_of({}, {}), 0);
    EXPECT_EQ(cost_of(tiered, {300'000, 0, 0, 5}), base::unknown_cost);
    EXPECT_EQ(most_cost({}, 1, 1), base::unknown_cost);
}

TEST(Price, does_not_overflow) {
    const std::int64_t all = std::numeric_limits<std::int64_t>::max();
    EXPECT_GT(cost_of(tiered, {all, all}), 0);
    EXPECT_EQ(cost_of(tiered, {-5, -5}), 0);
}

TEST(Price, leaves_room_for_an_answer) {
    EXPECT_EQ(most_cost(tiered, 1'000, 100), 6'250 + 2'500);
    EXPECT_EQ(output_for(tiered, 1'000, 6'250 + 2'500), 100);
    EXPECT_EQ(output_for(tiered, 1'000, 6'250), 0);
    EXPECT_LT(output_for(tiered, 1'000, 6'249), 0);
    EXPECT_EQ(output_for({{0, 0, 0}}, 10, 0), std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace chorus::model
