#include "cli/table.hpp"

#include <gtest/gtest.h>

#include "base/width.hpp"

namespace chorus::cli {
namespace {

using Lines = std::vector<std::string>;

Table agents() {
    Table table({{"NAME"}, {"MODEL", Align::left, true}, {"TASKS", Align::right}, {"LAST"}});
    table.add({"ada", "anthropic/claude-sonnet", "2", "5 min ago"});
    table.add({"日本", "builtin/echo", "10", ""});
    return table;
}

TEST(Table, has_a_heading_and_columns_under_each_other) {
    EXPECT_EQ(agents().lines(80), (Lines{"NAME  MODEL                    TASKS  LAST",
                                         "ada   anthropic/claude-sonnet      2  5 min ago",
                                         "日本  builtin/echo                10"}));
}

TEST(Table, cuts_what_gives_way_first_and_never_is_wider) {
    EXPECT_EQ(agents().lines(40),
              (Lines{"NAME  MODEL             TASKS  LAST",
                     "ada   anthropic/claud…      2  5 min ago", "日本  builtin/echo         10"}));
    for (std::size_t width = 0; width < 90; ++width)
        for (const std::string& line : agents().lines(width))
            EXPECT_LE(base::display_width(line), width) << line;
}

TEST(Table, elsewhere_a_tab_stands_between_fields_and_nothing_is_cut) {
    EXPECT_EQ(agents().fields(),
              (Lines{"ada\tanthropic/claude-sonnet\t2\t5 min ago", "日本\tbuiltin/echo\t10\t-"}));
    EXPECT_TRUE(Table({{"NAME"}}).fields().empty());
}

TEST(Padded, is_by_what_is_seen) {
    EXPECT_EQ(padded("日本", 6), "日本  ");
    EXPECT_EQ(padded("longer", 3), "longer");
}

}  // namespace
}  // namespace chorus::cli
