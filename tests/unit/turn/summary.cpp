#include "turn/summary.hpp"

#include "base/limits.hpp"
#include "base/text.hpp"
#include "support/scratch.hpp"

namespace chorus::turn {
namespace {

using chat::Message;
using chat::Role;
using context::SessionMessage;

SessionMessage of(Role role, const std::string& text, std::vector<chat::ToolCall> calls = {}) {
    SessionMessage each;
    each.message.role = role;
    each.message.content = text;
    each.message.tool_calls = std::move(calls);
    return each;
}

TEST(ConversationText, says_who_said_called_and_answered) {
    auto failed = of(Role::tool_result, "no such file");
    failed.message.is_error = true;
    EXPECT_EQ(conversation_text({of(Role::user, "Look."),
                                 of(Role::assistant, "", {{"1", "view", R"({"path":"x"})"}}),
                                 failed, of(Role::assistant, "It is gone.")}),
              "User: Look.\nCall: view {\"path\":\"x\"}\nResult (error): no such file\n"
              "Assistant: It is gone.\n");
}

TEST(ConversationText, is_bounded_and_keeps_its_beginning_and_its_end) {
    std::vector<SessionMessage> messages{of(Role::user, "THE BEGINNING")};
    for (int i = 0; i < 500; ++i) {
        messages.push_back(of(Role::assistant, std::string(9'000, 'a')));
        messages.push_back(of(Role::tool_result, std::string(60'000, 'r')));
    }
    messages.push_back(of(Role::assistant, "THE END"));
    const std::string text = conversation_text(messages);
    EXPECT_LT(text.size(), 70'000U);
    EXPECT_TRUE(text.starts_with("User: THE BEGINNING\n"));
    EXPECT_TRUE(text.ends_with("Assistant: THE END\n"));
    EXPECT_NE(text.find("bytes left out"), std::string::npos);
}

TEST(ConversationText, is_text) {
    std::string umlauts;
    for (int i = 0; i < 4'000; ++i) umlauts += "ü";
    EXPECT_FALSE(base::find_invalid_utf8(conversation_text({of(Role::user, "x" + umlauts)})));
    EXPECT_FALSE(base::find_invalid_utf8(conversation_text({of(Role::user, "\xff")})));
}

class SummaryTest : public testing::Test {
  protected:
    static void SetUpTestSuite() { sys::Interrupt::install(); }
    Summary ask(const std::string& model) {
        const sys::Environment environment;
        const agent::Home home(scratch_.path());
        place::Settings settings;
        settings.model = model;
        store::Store store =
            store::Store::open({scratch_.path() + "/chorus.db", scratch_.path() + "/gate"});
        const agent::HomeConfiguration configuration;
        const model::Catalog catalog;
        const place::Surroundings surroundings{.home = home,
                                               .environment = environment,
                                               .interrupt = sys::Interrupt::install(),
                                               .on_event = {},
                                               .warn = {},
                                               .alert = {},
                                               .ask = {}};
        return summarize({of(Role::user, "Fix it"), of(Role::assistant, "Done.")},
                         SummaryFor::people,
                         {store, 1, 0, "", settings, configuration, catalog, surroundings, ""});
    }
    test::Scratch scratch_;
};

TEST_F(SummaryTest, is_made_by_rule_where_no_model_is_called) {
    const Summary summary = ask("builtin/script");
    EXPECT_EQ(summary.text, "Fix it (1 message of the user, 1 answer). Last answer: Done.");
    EXPECT_EQ(summary.problem, "");
}

// C-52
TEST_F(SummaryTest, that_cannot_be_made_is_a_problem_and_no_error) {
    for (const char* model : {"nowhere/m", "anthropic/m"}) {
        const Summary summary = ask(model);
        EXPECT_EQ(summary.text, "") << model;
        EXPECT_NE(summary.problem, "") << model;
    }
}

}  // namespace
}  // namespace chorus::turn
