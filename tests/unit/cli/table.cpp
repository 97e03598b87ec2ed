#include "cli/table.hpp"

#include <gtest/gtest.h>

#include "base/width.hpp"

namespace chorus::cli {
namespace {

using Lines = std::vector<std::string>;

Fields agent(const char* name, const char* model, int tasks, const char* last) {
    return {{"name", name}, {"model", model}, {"tasks", tasks}, {"last", last}};
}

const std::vector<Fields> agents{agent("ada", "anthropic/claude-sonnet", 2, "5 min ago"),
                                 agent("日本", "builtin/echo", 10, "")};

Lines lines(Form form, std::size_t width = std::string::npos) {
    const Table table("agent", {{"name", "NAME"},
                                {"model", "MODEL", Fit::gives_way},
                                {"tasks", "TASKS", Fit::right},
                                {"last", "LAST"}});
    return table.lines(agents, form, width);
}

TEST(Table, has_a_heading_and_columns_under_each_other) {
    EXPECT_EQ(lines(Form::terminal, 80), (Lines{"NAME  MODEL                    TASKS  LAST",
                                                "ada   anthropic/claude-sonnet      2  5 min ago",
                                                "日本  builtin/echo                10"}));
}

TEST(Table, cuts_what_gives_way_first_and_never_is_wider) {
    EXPECT_EQ(lines(Form::terminal, 40),
              (Lines{"NAME  MODEL             TASKS  LAST",
                     "ada   anthropic/claud…      2  5 min ago", "日本  builtin/echo         10"}));
    for (std::size_t width = 0; width < 90; ++width)
        for (const std::string& line : lines(Form::terminal, width))
            EXPECT_LE(base::display_width(line), width) << line;
}

TEST(Table, elsewhere_a_tab_stands_between_fields_and_nothing_is_cut) {
    EXPECT_EQ(lines(Form::plain),
              (Lines{"ada\tanthropic/claude-sonnet\t2\t5 min ago", "日本\tbuiltin/echo\t10\t-"}));
    EXPECT_TRUE(Table("agent", {{"name", "NAME"}}).lines({}, Form::plain).empty());
}

TEST(Table, has_an_object_per_row) {
    EXPECT_EQ(lines(Form::json).back(),
              R"({"schema":"chorus.agent/1","name":"日本","model":"builtin/echo","tasks":10,)"
              R"("last":null})");
}

TEST(Table, without_headings_has_rows_only) {
    const Table table("agent", {{.key = "name"}, {.key = "tasks", .fit = Fit::right, .width = 4}});
    EXPECT_EQ(table.lines(agents, Form::terminal), (Lines{"ada      2", "日本    10"}));
    EXPECT_EQ(table.line(agents.front(), Form::terminal), "ada     2");
}

TEST(Table, ends_a_line_before_the_first_field_that_is_not_there) {
    const Table table("agent", {{"name"}, {"about"}, {"tasks"}}, "");
    EXPECT_EQ(table.lines(agents, Form::plain), (Lines{"ada", "日本"}));
}

TEST(Field, is_shown_in_another_way_or_only_in_lines) {
    const Fields fields{{"id", number(0, 0), "none"},
                        {"at", Time{0}},
                        {"is_on", true},
                        {"raw", Json{"[1,2]"}},
                        {"no_json", Json{}},
                        {"names", std::vector<std::string>{"a", "\""}},
                        {"inner", Fields{{"text", "a\tb"}}},
                        {"all", std::vector<Fields>{{{"n", 1}}, {{"n", 2}}}},
                        {"own", Member([](chat::JsonText& out) { out.key("mine").number(7); })},
                        shown("line", "x")};
    EXPECT_EQ(json("fields", fields),
              R"({"schema":"chorus.fields/1","id":null,"at":null,"is_on":true,"raw":[1,2],)"
              R"("no_json":null,"names":["a","\""],"inner":{"text":"a\tb"},)"
              R"("all":[{"n":1},{"n":2}],"mine":7})");
    const Table table("fields", {{"id"}, {"at"}, {"line"}});
    EXPECT_EQ(table.line(fields, Form::plain), "none\t-\tx");
}

TEST(Value, is_one_line_and_a_time_is_iso) {
    EXPECT_EQ(Value("a\tb\nc").text(Form::plain), "a\\tb\\nc");
    EXPECT_EQ(Value(Time{1'770'892'200'000}).text(Form::plain), "2026-02-12T10:30:00.000Z");
}

TEST(Padded, is_by_what_is_seen) {
    EXPECT_EQ(padded("日本", 6), "日本  ");
    EXPECT_EQ(padded("longer", 3), "longer");
}

}  // namespace
}  // namespace chorus::cli
