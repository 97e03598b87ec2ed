// What was said, the window on it, its end, and another process's view of both.
#include "agents.hpp"
#include "context/clear.hpp"
#include "context/window.hpp"

namespace chorus::context {
namespace {

using chat::Role;

class Persistence : public AgentTest {
  protected:
    Cleared clear() {
        return clear_context(store_, paths_, agent(), 0, std::nullopt, policy::Redaction());
    }
};

// C-20
TEST_F(Persistence, message_is_in_the_database) {
    const std::int64_t id = ask("hello");
    const auto found = store::load_messages_after(store_, id_, 1, 0);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].id, id);
    EXPECT_EQ(found[0].content, "hello");
}

// C-04 C-11 C-21 C-69
TEST_F(Persistence, message_is_its_agents_and_its_threads) {
    const store::ThreadId second = add_thread();
    ask("in the first");
    chat::Message call;
    call.role = Role::assistant;
    call.tool_calls = {{"c", "view", "{}"}};
    say(call, second);
    chat::Message result;
    result.role = Role::tool_result;
    result.tool_call_id = "c";
    result.content = "seen";
    say(result, second);
    EXPECT_EQ(store::load_messages_after(store_, id_, 1, 0).size(), 1U);
    const auto other = store::load_messages_after(store_, id_, second, 0);
    ASSERT_EQ(other.size(), 2U);
    EXPECT_EQ(other[0].role, Role::assistant);
    EXPECT_EQ(other[0].tool_calls, call.tool_calls);
    EXPECT_EQ(other[1].role, Role::tool_result);
    EXPECT_EQ(other[1].tool_call_id, "c");
    EXPECT_EQ(other[1].content, "seen");
    EXPECT_EQ(other[0].timestamp, now_ - 1);
    EXPECT_EQ(other[1].timestamp, now_);
}

// C-22
TEST_F(Persistence, message_has_its_time) {
    ask("now");
    EXPECT_EQ(store::load_messages_after(store_, id_, 1, 0)[0].timestamp, now_);
}

// C-23
TEST_F(Persistence, messages_are_found_by_agent) {
    const store::AgentId other = store::add_agent(store_, "bob");
    ask("to ada");
    store::add_message(store_, other, store::user_message("to bob", now_));
    EXPECT_EQ(texts(context()), Texts{"to ada"});
    EXPECT_EQ(store::load_messages_after(store_, other, 1, 0).size(), 1U);
}

// C-24 C-25 C-27
TEST_F(Persistence, window_has_what_is_newer_and_nothing_older) {
    ask("old");
    const base::TimeMs between = now_;
    ask("new");
    EXPECT_EQ(texts(context(between)), Texts{"new"});
    EXPECT_EQ(texts(context(between - 1)), (Texts{"old", "new"}));
    EXPECT_EQ(texts(context(now_)), Texts{});
}

// C-28 C-60
TEST_F(Persistence, clear_moves_the_marker_to_now) {
    const std::int64_t newest = ask("x");
    const base::TimeMs before = agent().last_clear_time;
    EXPECT_EQ(clear().messages, 1U);
    EXPECT_EQ(agent().last_clear_message, newest);
    EXPECT_GT(agent().last_clear_time, before);
}

// C-29 C-31 C-37
TEST_F(Persistence, clear_leaves_out_what_was_before_and_takes_what_comes_after) {
    ask("before");
    clear();
    EXPECT_EQ(texts(context()), Texts{});
    now_ -= 1;  // within the same millisecond
    ask("after");
    EXPECT_EQ(texts(context()), Texts{"after"});
    EXPECT_EQ(texts(context(now_ + 1)), Texts{});
}

// C-30 C-19
TEST_F(Persistence, clear_deletes_nothing) {
    ask("kept");
    clear();
    EXPECT_EQ(store::load_messages_after(store_, id_, 1, 0).size(), 1U);
}

// C-32
TEST_F(Persistence, the_last_of_several_clears_holds) {
    for (int i = 0; i < 3; ++i) {
        ask("x");
        EXPECT_EQ(clear().messages, 1U);
        EXPECT_EQ(clear().messages, 0U);
    }
    const std::int64_t marker = agent().last_clear_message;
    store::in_transaction(store_, [&] { store::advance_clear(store_, id_, 1, 1); });
    EXPECT_EQ(agent().last_clear_message, marker);
}

// C-71
TEST_F(Persistence, clear_is_of_every_thread) {
    const store::ThreadId second = add_thread();
    ask("one");
    ask("two", second);
    EXPECT_EQ(clear().messages, 2U);
    EXPECT_TRUE(context().empty());
}

TEST_F(Persistence, clear_saves_first_where_it_is_to) {
    ask("keep me");
    const auto cleared =
        clear_context(store_, paths_, agent(), 0,
                      SessionAbout{.trigger = SessionTrigger::context_clear, .model = "m/m"},
                      policy::Redaction());
    ASSERT_TRUE(cleared.saved);
    EXPECT_EQ(cleared.saved->trigger, "context_clear");
    EXPECT_EQ(store::list_sessions(store_, id_).size(), 1U);
    const auto again = clear_context(store_, paths_, agent(), 0, SessionAbout{.model = "m/m"},
                                     policy::Redaction());
    EXPECT_FALSE(again.saved);
}

// C-40 C-50 C-52 C-68
TEST_F(Persistence, a_summary_is_what_is_asked_for_or_says_that_it_failed) {
    ask("hello");
    Texts seen;
    const Summarize good = [&](const std::vector<SessionMessage>& messages) {
        seen = texts(messages);
        return std::string("They greeted.");
    };
    const Summarize bad = [](const auto&) { return std::string(); };
    EXPECT_EQ(summary_of(context(), good), "They greeted.");
    EXPECT_EQ(seen, Texts{"hello"});
    EXPECT_EQ(summary_of(context(), bad), "(summary generation failed)");
    EXPECT_EQ(summary_of(context(), nullptr), plain_summary(context()));
    EXPECT_EQ(summary_of({}, bad), plain_summary({}));
    const auto saved =
        save_session(store_, paths_, agent(), context(),
                     {.model = "m/m", .summary = summary_of(context(), bad)}, policy::Redaction());
    EXPECT_EQ(saved.summary, "(summary generation failed)");
    EXPECT_EQ(saved.description, "hello");
}

// C-02 C-18 C-48 C-49 L-58
TEST_F(Persistence, another_process_sees_the_same) {
    ask("cleared");
    clear();
    ask("hello");
    answer("hi");
    const pid_t child = store::start_child([&] {
        store::Store own = home_.open();
        const store::Agent row = *store::find_agent(own, id_);
        const auto seen = agent_messages(own, row, 0);
        if (texts(seen) != Texts{"hello", "hi"} || row.last_clear_message != 1) _exit(2);
    });
    EXPECT_EQ(store::wait_for(child), 0);
}

TEST_F(Persistence, agents_with_something_behind_the_clear_are_found) {
    EXPECT_TRUE(store::agents_with_context(store_).empty());
    const store::ThreadId second = add_thread();
    ask("x", second);
    ASSERT_EQ(store::agents_with_context(store_).size(), 1U);
    EXPECT_EQ(store::agents_with_context(store_)[0].name, "ada");
    clear();
    EXPECT_TRUE(store::agents_with_context(store_).empty());
}

}  // namespace
}  // namespace chorus::context
