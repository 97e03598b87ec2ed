#include "store/search.hpp"

#include "home.hpp"
#include "store/sqlite.hpp"
#include "store/text_index.hpp"
#include "store/unspaced.hpp"

namespace chorus::store {
namespace {

std::string match(std::string_view text, SearchIn in = SearchIn::all) {
    return match_expression(text, in);
}

TEST(MatchExpression, quotes_every_word) {
    EXPECT_EQ(match("one two"), R"("one" "two")");
    EXPECT_EQ(match("  one\ttwo\n"), R"("one" "two")");
    EXPECT_EQ(match(R"("one two" three)"), R"("one two" "three")");
    EXPECT_EQ(match("migr*"), R"("migr" *)");
    EXPECT_EQ(match(R"("the migr"* x)"), R"("the migr" * "x")");
    EXPECT_EQ(match("un\"closed quote"), "\"un\" \"closed quote\"");
    EXPECT_EQ(match("foo-bar a:b col : x^2"), R"("foo-bar" "a:b" "col" "x^2")");
    EXPECT_EQ(match("NEAR(a b) AND OR NOT"), R"x("NEAR(a" "b)" "AND" "OR" "NOT")x");
    EXPECT_EQ(match("über — straße"), "\"über\" \"—\" \"straße\"");
}

TEST(MatchExpression, names_the_columns) {
    EXPECT_EQ(match("a b", SearchIn::prompts), R"({prompt} : ("a" "b"))");
    EXPECT_EQ(match("a", SearchIn::answers), R"({answer} : ("a"))");
    EXPECT_EQ(match("a", SearchIn::tools), R"({arguments output} : ("a"))");
}

TEST(MatchExpression, refuses_what_holds_no_word_or_too_much) {
    for (const std::string& text :
         {std::string(), std::string(" \n"), std::string("*"), std::string("\"\""),
          std::string("()"), std::string("-- ' \" ;"), std::string("\0", 1)})
        EXPECT_EQ(error_of([&] { match(text); }).code(), base::ErrorCode::bad_request) << text;
    EXPECT_EQ(error_of([&] { match(std::string(1U << 20, 'x')); }).code(),
              base::ErrorCode::bad_request);
    std::string words;
    for (std::size_t i = 0; i < most_query_words; ++i) words += "w ";
    EXPECT_NO_THROW(match(words));
    EXPECT_EQ(error_of([&] { match(words + "w"); }).code(), base::ErrorCode::bad_request);
}

class SearchTest : public testing::Test {
  protected:
    std::int64_t say(const std::string& text, AgentId who, chat::Role role = chat::Role::user,
                     base::TimeMs time = 1) {
        chat::Message message = user_message(text, time);
        message.role = role;
        return add_message(store, who, message);
    }
    std::vector<std::int64_t> find(const Search& search) {
        std::vector<std::int64_t> ids;
        for (const Found& found : search_messages(store, search)) ids.push_back(found.id);
        return ids;
    }
    using Ids = std::vector<std::int64_t>;

    Home home;
    Store store = home.open();
    AgentId ada = add_agent(store, "ada");
    AgentId bob = add_agent(store, "bob");
};

TEST_F(SearchTest, finds_what_holds_every_word_over_all_agents_or_one) {
    const auto one = say("the Zebra crosses", ada);
    const auto two = say("a zebra and another zebra cross the crossing", bob);
    say("nothing", ada);
    EXPECT_EQ(find({.text = "zebra"}).size(), 2U);
    EXPECT_EQ(find({.text = "zebra", .agent = "bob"}), Ids{two});
    EXPECT_EQ(find({.text = "ZEBRA crosses"}), Ids{one});
    EXPECT_EQ(find({.text = "\"zebra and another\""}), Ids{two});
    EXPECT_EQ(find({.text = "\"zebra another\""}), Ids{});
    EXPECT_EQ(find({.text = "cross*"}).size(), 2U);
    EXPECT_EQ(find({.text = "zebr"}), Ids{});
    EXPECT_EQ(find({.text = "zebra", .most = 1}).size(), 1U);
    EXPECT_EQ(find({.text = "zébra"}).size(), 2U) << "accents are no difference";
}

TEST_F(SearchTest, puts_the_best_first) {
    say("zebra " + std::string(400, 'x') + " and much else that is no such animal at all", ada);
    const auto best = say("zebra zebra", ada);
    say("one zebra among many words which are of no use to anybody", ada);
    EXPECT_EQ(find({.text = "zebra"}).front(), best);
}

TEST_F(SearchTest, looks_where_it_is_told) {
    const auto prompt = say("walrus", ada);
    const auto answer = say("walrus", ada, chat::Role::assistant);
    const auto output = say("walrus", ada, chat::Role::tool_result);
    chat::Message call;
    call.role = chat::Role::assistant;
    call.tool_calls = {{"c", "bash", R"({"command":"echo walrus"})"}};
    const auto called = add_message(store, ada, call);
    EXPECT_EQ(find({.text = "walrus"}).size(), 4U);
    EXPECT_EQ(find({.text = "walrus", .in = SearchIn::prompts}), Ids{prompt});
    EXPECT_EQ(find({.text = "walrus", .in = SearchIn::answers}), Ids{answer});
    auto tools = find({.text = "walrus", .in = SearchIn::tools});
    std::sort(tools.begin(), tools.end());
    EXPECT_EQ(tools, (Ids{output, called}));
    EXPECT_EQ(find({.text = "walrus prompt", .in = SearchIn::prompts}), Ids{});
}

TEST_F(SearchTest, marks_the_hits_whatever_the_text_holds) {
    say("before \x02 the [Zebra] \x03 after", ada);
    const auto found = search_messages(store, {.text = "zebra"});
    ASSERT_EQ(found.size(), 1U);
    std::string text;
    std::string hits;
    for (const auto& piece : found[0].snippet) {
        text += piece.text;
        if (piece.is_hit) hits += piece.text + "|";
    }
    EXPECT_EQ(text, "before \x02 the [Zebra] \x03 after");
    EXPECT_EQ(hits, "Zebra|");
    EXPECT_EQ(found[0].agent, "ada");
    EXPECT_EQ(found[0].role, "user");
}

// A run of characters that no space divides is one word of the index.
TEST_F(SearchTest, finds_parts_of_what_is_written_without_spaces) {
    const auto chinese = say("我们需要全文搜索功能，用git提交。", ada);
    const auto japanese = say("設定ファイルをバックアップする", bob);
    const auto korean = say("서울에서 데이터베이스를 옮겼다", bob);
    const auto thai = say("ฉันต้องการค้นหาไฟล์", ada);
    EXPECT_EQ(find({.text = "搜索"}), Ids{chinese});
    EXPECT_EQ(find({.text = "搜"}), Ids{chinese});
    EXPECT_EQ(find({.text = "全文搜索功能"}), Ids{chinese});
    EXPECT_EQ(find({.text = "需要 提交"}), Ids{chinese});
    EXPECT_EQ(find({.text = "搜索功能，用git"}), Ids{chinese});
    EXPECT_EQ(find({.text = "\"搜索功能\""}), Ids{chinese});
    EXPECT_EQ(find({.text = "搜索*"}), Ids{chinese});
    EXPECT_EQ(find({.text = "Git"}), Ids{chinese});
    EXPECT_EQ(find({.text = "提交 git"}), Ids{chinese});
    EXPECT_EQ(find({.text = "\"git 提交\""}), Ids{chinese});
    EXPECT_EQ(find({.text = "git-git"}), Ids{});
    EXPECT_EQ(find({.text = "バックアップ"}), Ids{japanese});
    EXPECT_EQ(find({.text = "データベース"}), Ids{});
    EXPECT_EQ(find({.text = "서울 데이터베이스"}), Ids{korean});
    EXPECT_EQ(find({.text = "ค้นหา"}), Ids{thai});
    EXPECT_EQ(find({.text = "搜索", .in = SearchIn::answers}), Ids{});
    EXPECT_EQ(find({.text = "搜索", .agent = "bob"}), Ids{});
    EXPECT_EQ(find({.text = "搜索 zebra"}), Ids{});
    for (int i = 0; i < index_batch; ++i) say("zebra", ada);  // what waited is indexed now
    const auto late = say("搜索引擎", ada);
    EXPECT_EQ(find({.text = "搜索"}), (Ids{late, chinese}));
}

TEST_F(SearchTest, marks_the_part_and_not_all_of_the_run) {
    say("我们需要搜索功能和搜索结果 zebra", ada);
    const auto found = search_messages(store, {.text = "搜索 zebra"});
    ASSERT_EQ(found.size(), 1U);
    std::string marked;
    for (const auto& piece : found[0].snippet)
        marked += piece.is_hit ? "[" + piece.text + "]" : piece.text;
    EXPECT_EQ(marked, "我们需要[搜索]功能和[搜索]结果 [zebra]");
}

TEST_F(SearchTest, refuses_a_part_of_too_many_words) {
    std::string text;
    for (std::size_t i = 0; i <= most_holding_words; ++i) text += "的" + std::to_string(i) + " ";
    say(text, ada);
    const base::Error error = error_of([&] { find({.text = "的"}); });
    EXPECT_EQ(error.code(), base::ErrorCode::bad_request);
    EXPECT_EQ(find({.text = "的77"}).size(), 1U);
}

TEST_F(SearchTest, is_narrowed_by_time) {
    say("zebra", ada, chat::Role::user, 100);
    const auto late = say("zebra", ada, chat::Role::user, 200);
    EXPECT_EQ(find({.text = "zebra", .since = 150}), Ids{late});
}

// Whatever is typed is looked for or refused, and never the database's language.
TEST_F(SearchTest, understands_any_text) {
    say("near and or not a b \"quoted\" x", ada);
    const std::string controls("a\0b\x01\x7f", 5);
    for (const std::string& text :
         {std::string("NEAR(a b, 2)"), std::string("a AND (b"), std::string("\"a"),
          std::string("prompt:a"), std::string("{prompt answer} : a"), std::string("a\" OR \"b"),
          std::string("^a"), std::string("a + b"), std::string("'; DROP TABLE messages; --"),
          std::string("- a"), std::string("a* b* c*"), std::string("\"*\" a"),
          std::string("\xff\xfe a"), std::string("— … a"), std::string("🦓 a"), controls,
          "a" + std::string(4000, '('), std::string(most_query_bytes, 'x'),
          std::string("a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a")})
        for (const SearchIn in :
             {SearchIn::all, SearchIn::prompts, SearchIn::answers, SearchIn::tools})
            EXPECT_NO_THROW(search_messages(store, {.text = text, .in = in})) << text;
    EXPECT_EQ(find({.text = "— … zebra"}), Ids{}) << "what is no word is not looked for";
    EXPECT_EQ(find({.text = "— quoted"}).size(), 1U);
}

TEST_F(SearchTest, of_a_word_that_is_everywhere_gives_the_newest) {
    in_transaction(store, [&] {
        for (std::int64_t i = 0; i <= most_ranked_matches; ++i)
            insert_message(
                store, ada, 1,
                user_message(i == 0 ? "zebra zebra" : "a zebra, " + std::to_string(i), 1));
    });
    EXPECT_EQ(find({.text = "zebra", .most = 2}),
              (Ids{most_ranked_matches + 1, most_ranked_matches}));
}

}  // namespace
}  // namespace chorus::store
