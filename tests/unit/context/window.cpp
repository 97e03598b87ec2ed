#include "context/window.hpp"

#include <chrono>
#include <limits>

#include "support/scratch.hpp"

namespace chorus::context {
namespace {

using chat::Message;
using chat::Role;

// A conversation written down in letters: U a user message that starts a turn, u one that does not
// (inbox), a an answer, c an answer with a call, r its result. Ids count from 1, a turn's id is
// that of the last U.
std::vector<Message> messages_for(const std::string& letters, std::size_t bytes = 0) {
    std::vector<Message> messages;
    std::int64_t turn = 0;
    for (const char letter : letters) {
        Message message;
        message.id = static_cast<std::int64_t>(messages.size()) + 1;
        if (letter == 'U') turn = message.id;
        message.turn_id = turn;
        message.starts_turn = letter == 'U';
        message.role = letter == 'U' || letter == 'u' ? Role::user
                       : letter == 'r'                ? Role::tool_result
                                                      : Role::assistant;
        message.content = std::string(bytes, letter);
        if (letter == 'c')
            message.tool_calls.push_back({"call" + std::to_string(message.id), "view", ""});
        if (letter == 'r') message.tool_call_id = "call" + std::to_string(message.id - 1);
        messages.push_back(std::move(message));
    }
    return messages;
}

std::vector<std::int64_t> ids(const Window& window) {
    std::vector<std::int64_t> found;
    for (const Message& message : window.messages) found.push_back(message.id);
    return found;
}

std::vector<std::int64_t> from_to(std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> all;
    for (std::int64_t id = first; id <= last; ++id) all.push_back(id);
    return all;
}

// C-36
TEST(Window, holds_everything_where_nothing_limits_it) {
    const Window window = cut_window(messages_for("UaUcraUa"), {});
    EXPECT_EQ(ids(window), from_to(1, 8));
    EXPECT_EQ(window.start, 1);
    EXPECT_EQ(window.left_out, 0U);
}

TEST(Window, may_be_empty) {
    const Window window = cut_window({}, {.max_messages = 1, .token_budget = 1, .open_turn = 7});
    EXPECT_TRUE(window.messages.empty());
    EXPECT_EQ(window.start, 0);
    EXPECT_EQ(cut_window(messages_for("acr"), {}).start, 0);
}

std::vector<Message> with_compaction(const std::string& letters, std::size_t bytes = 0) {
    auto messages = messages_for(letters, bytes);
    Message head;
    head.id = static_cast<std::int64_t>(messages.size()) + 1;
    head.starts_turn = true;
    head.is_compaction = true;
    messages.insert(messages.begin(), head);
    return messages;
}

// One that stands for earlier messages is cut by no limit, and its id says nothing of the cut.
TEST(Window, keeps_what_stands_for_earlier_messages) {
    Window window = cut_window(with_compaction("UaUaUa"), {.max_messages = 3});
    EXPECT_EQ(ids(window), (std::vector<std::int64_t>{7, 5, 6}));
    EXPECT_EQ(window.start, 5);
    EXPECT_EQ(window.left_out, 4U);
    ASSERT_EQ(window.dropped.size(), 4U);
    EXPECT_EQ(window.dropped.front().id, 1);
    window = cut_window(with_compaction("UaUaUa", 400), {.token_budget = 500});
    EXPECT_EQ(ids(window), (std::vector<std::int64_t>{7, 5, 6}));
    EXPECT_EQ(cut_window(with_compaction(""), {.max_messages = 1}).start, 0);
    EXPECT_EQ(cut_window(with_compaction("Ua"), {.max_messages = 1}).start, 3) << "behind them";
    EXPECT_EQ(ids(cut_window(with_compaction("raUa"), {})), (std::vector<std::int64_t>{5, 3, 4}));
}

// A clear or a restore may have come between a call and its result.
TEST(Window, leaves_out_results_without_a_call) {
    auto messages = messages_for("UaUcra");
    messages[4].tool_call_id = "of a call that is gone";
    EXPECT_EQ(ids(cut_window(messages, {})), (std::vector<std::int64_t>{1, 2, 3, 4, 6}));
}

// What time or a clear cut through is dropped up to the next turn, and is no cut of the limits.
TEST(Window, begins_with_a_turn_wherever_time_has_cut) {
    const std::string letters = "UcrcraUaUucra";
    for (std::size_t from = 0; from < letters.size(); ++from) {
        auto loaded = messages_for(letters);
        loaded.erase(loaded.begin(), loaded.begin() + static_cast<std::ptrdiff_t>(from));
        const Window window = cut_window(loaded, {});
        const std::size_t expected = letters.find('U', from);
        if (expected == std::string::npos) {
            EXPECT_TRUE(window.messages.empty()) << from;
            continue;
        }
        EXPECT_EQ(window.start, static_cast<std::int64_t>(expected) + 1) << from;
        EXPECT_EQ(find_torn(window.messages), "") << from;
        EXPECT_EQ(window.left_out, 0U);
    }
}

TEST(Window, falls_before_no_inbox_message) {
    const Window window = cut_window(messages_for("UauaUa"), {.max_messages = 3});
    EXPECT_EQ(ids(window), from_to(5, 6));
}

TEST(Window, holds_as_many_messages_as_it_may) {
    const auto loaded = messages_for("UaUaUa");
    EXPECT_EQ(ids(cut_window(loaded, {.max_messages = 7})), from_to(1, 6));
    EXPECT_EQ(ids(cut_window(loaded, {.max_messages = 6})), from_to(1, 6));
    EXPECT_EQ(ids(cut_window(loaded, {.max_messages = 5})), from_to(3, 6));
    EXPECT_EQ(ids(cut_window(loaded, {.max_messages = 4})), from_to(3, 6));
    EXPECT_EQ(ids(cut_window(loaded, {.max_messages = 3})), from_to(5, 6));
    EXPECT_EQ(cut_window(loaded, {.max_messages = 3}).left_out, 4U);
    EXPECT_TRUE(cut_window(loaded, {.max_messages = 1}).messages.empty());
}

TEST(Window, that_has_its_budget_and_not_more_is_left) {
    const auto loaded = messages_for("UaUaUaUaUa", 40);  // ten messages of 14 tokens
    ASSERT_EQ(estimated_tokens(loaded[0]), 14);
    EXPECT_EQ(ids(cut_window(loaded, {.token_budget = 140})), from_to(1, 10));
    EXPECT_EQ(ids(cut_window(loaded, {.token_budget = 139})), from_to(7, 10))
        << "60 % of 139 are 83: six messages are 84";
}

// The cut goes down to 60 % so that the next one is far away.
TEST(Window, over_budget_goes_down_to_sixty_percent) {
    std::string letters;
    for (int i = 0; i < 50; ++i) letters += "Ua";
    const auto loaded = messages_for(letters, 40);  // 1400 tokens
    const Window window = cut_window(loaded, {.token_budget = 1'000});
    std::int64_t tokens = 0;
    for (const Message& message : window.messages) tokens += estimated_tokens(message);
    EXPECT_LE(tokens, 600);
    EXPECT_GT(tokens, 600 - 28);
    EXPECT_EQ(window.left_out, 100 - window.messages.size());
    EXPECT_EQ(ids(cut_window(loaded, {.token_budget = 1'400})), from_to(1, 100));
}

TEST(Window, goes_to_sixty_percent_of_any_budget) {
    std::string letters;
    for (int i = 0; i < 30; ++i) letters += "Ua";
    const auto loaded = messages_for(letters, 40);  // 840 tokens
    for (std::int64_t budget = 1; budget < 840; ++budget) {
        const Window window = cut_window(loaded, {.token_budget = budget});
        const std::int64_t tokens = static_cast<std::int64_t>(window.messages.size()) * 14;
        ASSERT_LE(tokens * 10, budget * 6) << budget;
        ASSERT_GT((tokens + 28) * 10 + 9, budget * 6) << budget;
    }
    EXPECT_EQ(
        cut_window(loaded, {.token_budget = std::numeric_limits<std::int64_t>::max()}).left_out,
        0U);
}

TEST(Window, cut_again_with_the_same_limits_stays) {
    const auto loaded = messages_for("UaUcraUaUaUcrcra", 100);
    for (const WindowLimits& limits :
         {WindowLimits{.max_messages = 7}, WindowLimits{.token_budget = 300}}) {
        const Window once = cut_window(loaded, limits);
        const Window twice = cut_window(once.messages, limits);
        EXPECT_EQ(ids(twice), ids(once));
        EXPECT_EQ(twice.left_out, 0U);
    }
}

TEST(Window, keeps_the_open_turn_whatever_the_limits) {
    const auto loaded = messages_for("UaUaUcrcrcr", 400);  // the turn of message 5 is open
    for (const WindowLimits& limits :
         {WindowLimits{.max_messages = 1, .open_turn = 5},
          WindowLimits{.token_budget = 1, .open_turn = 5},
          WindowLimits{.max_messages = 1, .token_budget = 1, .open_turn = 5}}) {
        const Window window = cut_window(loaded, limits);
        EXPECT_EQ(ids(window), from_to(5, 11));
        EXPECT_EQ(window.left_out, 4U);
    }
}

TEST(Window, keeps_an_open_turn_whose_first_message_starts_none) {
    auto loaded = messages_for("UaUcr");
    loaded[2].starts_turn = false;
    EXPECT_EQ(ids(cut_window(loaded, {.max_messages = 1, .open_turn = 3})), from_to(3, 5));
    // nor does what time cut before it drop it
    loaded.erase(loaded.begin());
    EXPECT_EQ(ids(cut_window(loaded, {.open_turn = 3})), from_to(3, 5));
}

TEST(Window, of_an_open_turn_without_messages_is_cut_as_any_other) {
    EXPECT_EQ(ids(cut_window(messages_for("UaUa"), {.max_messages = 2, .open_turn = 99})),
              from_to(3, 4));
}

// Every cut falls before a turn, and what is kept is whole and the end of what there was.
TEST(Window, is_never_torn) {
    const std::string letters = "UcraUauaUcrcrUaUcracraUa";
    const auto loaded = messages_for(letters, 30);
    ASSERT_EQ(find_torn(loaded), "");
    for (std::int64_t limit = 0; limit <= 26; ++limit)
        for (const std::int64_t open : {std::int64_t{0}, std::int64_t{14}, std::int64_t{23}})
            for (const bool by_tokens : {false, true}) {
                const Window window = cut_window(
                    loaded, by_tokens ? WindowLimits{.token_budget = limit * 11, .open_turn = open}
                                      : WindowLimits{.max_messages = limit, .open_turn = open});
                ASSERT_EQ(find_torn(window.messages), "");
                ASSERT_EQ(window.left_out + window.messages.size(), loaded.size());
                if (window.messages.empty()) continue;
                ASSERT_TRUE(window.messages.front().starts_turn);
                ASSERT_EQ(window.start, window.messages.front().id);
                ASSERT_EQ(window.messages.back(), loaded.back());
                ASSERT_TRUE(open == 0 || window.start <= open);
            }
}

TEST(Window, of_a_thousand_messages_is_cut_in_no_time) {
    std::string letters;
    for (int i = 0; i < 500; ++i) letters += "Ua";
    const auto loaded = messages_for(letters, 2'000);
    auto copy = loaded;
    const auto began = std::chrono::steady_clock::now();
    const Window window = cut_window(std::move(copy), {.token_budget = 400'000});
    EXPECT_EQ(find_torn(window.messages), "");
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(500));
    EXPECT_EQ(window.messages.size() % 2, 0U);
}

// C-67
TEST(EstimatedTokens, count_content_status_and_calls) {
    Message message;
    const std::int64_t empty = estimated_tokens(message);
    message.content = std::string(400, 'x');
    EXPECT_EQ(estimated_tokens(message), empty + 100);
    message.status = std::string(40, 'x');
    EXPECT_EQ(estimated_tokens(message), empty + 110);
    message.tool_calls.push_back({"id", "name", std::string(4'000, 'x')});
    EXPECT_EQ(estimated_tokens(message), empty + 1'111);
}

TEST(FindTorn, has_nothing_to_say_of_a_whole_conversation) {
    for (const char* letters : {"", "U", "Ua", "Ucr", "UcrcrauaUcra"})
        EXPECT_EQ(find_torn(messages_for(letters)), "") << letters;
    // several calls of one answer, their results in any order
    auto messages = messages_for("Ucrr");
    messages[1].tool_calls = {{"x", "view", ""}, {"y", "view", ""}};
    messages[2].tool_call_id = "y";
    messages[3].tool_call_id = "x";
    EXPECT_EQ(find_torn(messages), "");
    // the same id again in a later answer
    messages = messages_for("UcrcrU");
    for (Message& message : messages) {
        for (chat::ToolCall& call : message.tool_calls) call.id = "same";
        if (message.role == Role::tool_result) message.tool_call_id = "same";
    }
    EXPECT_EQ(find_torn(messages), "");
}

TEST(FindTorn, says_what_is_wrong) {
    EXPECT_EQ(find_torn(messages_for("aU")), "the first message is not the user's");
    EXPECT_EQ(find_torn(messages_for("r")), "the first message is not the user's");
    EXPECT_EQ(find_torn(messages_for("Uc")), "call call2 has no result");
    EXPECT_EQ(find_torn(messages_for("UcU")), "call call2 has no result");
    EXPECT_EQ(find_torn(messages_for("Uca")), "call call2 has no result");
    EXPECT_EQ(find_torn(messages_for("Ucc")), "call call2 has no result");
    EXPECT_EQ(find_torn(messages_for("Ur")), "message 2: a result without its call");
    auto messages = messages_for("Ucrr");  // a second result
    messages[3].tool_call_id = "call2";
    EXPECT_EQ(find_torn(messages), "message 4: a result without its call");
    messages = messages_for("Ucr");  // two calls, one id, one result
    messages[1].tool_calls.push_back(messages[1].tool_calls[0]);
    EXPECT_EQ(find_torn(messages), "call call2 appears twice");
    messages = messages_for("Ucr");  // one of two results is missing
    messages[1].tool_calls.push_back({"other", "view", ""});
    EXPECT_EQ(find_torn(messages), "call other has no result");
}

// U1 a2 U3 c4 r5 a6, 100 tokens and 4 each: the second turn asked with 3 and with 5 messages.
TEST(EstimatedInput, is_that_of_every_request_of_a_turn) {
    auto messages = messages_for("UaUcra", 400);
    for (Message& message : messages) message.tool_calls.clear();
    EXPECT_EQ(estimated_tokens(messages), 6 * 104);
    EXPECT_EQ(estimated_input(messages, 3, 0), 3 * 104 + 5 * 104);
    EXPECT_EQ(estimated_input(messages, 3, 1'000), 2'000 + 8 * 104);
    EXPECT_EQ(estimated_input(messages, 1, 10), 10 + 104);
    EXPECT_EQ(estimated_input(messages, 77, 10), 0);
}

TEST(InEstimatedTokens, follows_what_was_counted_within_bounds) {
    EXPECT_EQ(in_estimated_tokens(1'000, 200, 100), 500);
    EXPECT_EQ(in_estimated_tokens(1'000, 80, 100), 1'250);
    EXPECT_EQ(in_estimated_tokens(1'000, 100, 100), 1'000);
    EXPECT_EQ(in_estimated_tokens(900, 100'000, 100), 300) << "at most three times as many";
    EXPECT_EQ(in_estimated_tokens(1'000, 1, 100), 2'000) << "at least half as many";
    EXPECT_EQ(in_estimated_tokens(1'000, 0, 100), 1'000) << "nothing was counted";
    EXPECT_EQ(in_estimated_tokens(1'000, 100, 0), 1'000) << "nothing to compare it with";
    EXPECT_GT(in_estimated_tokens(std::numeric_limits<std::int64_t>::max(), 1, 100), 0);
}

TEST(ChainedHash, follows_everything_that_is_sent) {
    Message message;
    message.role = Role::assistant;
    message.content = "text";
    message.tool_calls = {{"c", "view", "{}"}};
    message.opaque = chat::Opaque{"anthropic", "claude", "[]"};
    const std::string base = chained_hash("", message);
    EXPECT_EQ(base.size(), 64U);
    EXPECT_EQ(chained_hash("", message), base);
    EXPECT_NE(chained_hash(base, message), base);
    const auto changed = [&](auto change) {
        Message other = message;
        change(other);
        return chained_hash("", other) != base;
    };
    EXPECT_TRUE(changed([](Message& m) { m.role = Role::user; }));
    EXPECT_TRUE(changed([](Message& m) { m.content += "."; }));
    EXPECT_TRUE(changed([](Message& m) { m.status = "s"; }));
    EXPECT_TRUE(changed([](Message& m) { m.tool_calls[0].arguments = "{ }"; }));
    EXPECT_TRUE(changed([](Message& m) { m.tool_call_id = "c"; }));
    EXPECT_TRUE(changed([](Message& m) { m.is_error = true; }));
    EXPECT_TRUE(changed([](Message& m) { m.opaque->wire = "[{}]"; }));
    // where it is stored and when is not sent
    EXPECT_FALSE(changed([](Message& m) { m.id = 9; }));
    EXPECT_FALSE(changed([](Message& m) { m.timestamp = 9; }));
    EXPECT_FALSE(changed([](Message& m) { m.turn_id = 9; }));
}

}  // namespace
}  // namespace chorus::context
