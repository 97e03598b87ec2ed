#include "store/prompts.hpp"

#include "home.hpp"

namespace chorus::store {
namespace {

class Prompts : public testing::Test {
  protected:
    Prompts()
        : store_(home_.open()),
          agent_(add_agent(store_, "ada")),
          turn_(add_turn(store_, agent_).id) {}

    Prompt add(const std::string& id, base::TimeMs expires_at = 0) {
        Prompt prompt;
        prompt.id = id;
        prompt.agent_id = agent_;
        prompt.turn_id = turn_;
        prompt.kind = chat::PromptKind::permission;
        prompt.tool_call_id = "call_1";
        prompt.action = "tool:bash:make";
        prompt.tool = "bash";
        prompt.arguments = R"({"command":"make"})";
        prompt.arguments_hash = "abc";
        prompt.text = "run make?";
        prompt.options = "[]";
        prompt.created_at = 10;
        prompt.expires_at = expires_at;
        in_transaction(store_, [&] { insert_prompt(store_, prompt); });
        return prompt;
    }

    bool decide(Prompt prompt, PromptState state, base::TimeMs now = 20) {
        prompt.state = state;
        prompt.decided_at = now;
        prompt.decided_by = "mia";
        prompt.answer = "go";
        return in_transaction(store_, [&] { return decide_prompt(store_, prompt); });
    }

    std::string state_of(const std::string& id) {
        return std::string(name(find_prompt(store_, id)->state));
    }

    Home home_;
    Store store_;
    AgentId agent_;
    TurnId turn_;
};

TEST_F(Prompts, come_back_as_they_were_asked) {
    const Prompt asked = add("p1", 99);
    const Prompt found = *find_prompt(store_, "p1");
    EXPECT_EQ(found.agent_id, agent_);
    EXPECT_EQ(found.turn_id, turn_);
    EXPECT_EQ(found.kind, chat::PromptKind::permission);
    EXPECT_EQ(found.tool_call_id, "call_1");
    EXPECT_EQ(found.action, asked.action);
    EXPECT_EQ(found.tool, "bash");
    EXPECT_EQ(found.arguments, asked.arguments);
    EXPECT_EQ(found.arguments_hash, "abc");
    EXPECT_EQ(found.text, "run make?");
    EXPECT_EQ(found.options, "[]");
    EXPECT_EQ(found.state, PromptState::pending);
    EXPECT_EQ(found.created_at, 10);
    EXPECT_EQ(found.expires_at, 99);
    EXPECT_EQ(found.decided_at, 0);
    EXPECT_FALSE(find_prompt(store_, "p2"));
}

TEST_F(Prompts, list_in_the_order_they_were_asked) {
    add("z");
    const Prompt second = add("a");
    EXPECT_EQ(load_prompts(store_, turn_).at(0).id, "z");
    EXPECT_EQ(pending_prompts(store_, agent_).size(), 2U);
    decide(second, PromptState::denied);
    ASSERT_EQ(pending_prompts(store_, agent_).size(), 1U);
    EXPECT_EQ(load_prompts(store_, turn_).size(), 2U);
}

TEST_F(Prompts, are_decided_by_who_is_first) {
    const Prompt prompt = add("p1");
    EXPECT_TRUE(decide(prompt, PromptState::approved));
    EXPECT_FALSE(decide(prompt, PromptState::denied));
    const Prompt found = *find_prompt(store_, "p1");
    EXPECT_EQ(found.state, PromptState::approved);
    EXPECT_EQ(found.decided_at, 20);
    EXPECT_EQ(found.decided_by, "mia");
    EXPECT_EQ(found.answer, "go");
}

TEST_F(Prompts, are_not_decided_late) {
    EXPECT_FALSE(decide(add("p1", 20), PromptState::approved, 20));
    EXPECT_TRUE(decide(add("p2", 20), PromptState::approved, 19));
}

TEST_F(Prompts, are_not_decided_for_an_agent_that_is_being_destroyed) {
    const Prompt prompt = add("p1");
    in_transaction(store_, [&] { set_agent_status(store_, agent_, AgentStatus::destroying); });
    EXPECT_FALSE(decide(prompt, PromptState::approved));
}

TEST_F(Prompts, are_consumed_once_and_only_when_decided) {
    const Prompt prompt = add("p1");
    const auto consume = [&] {
        return in_transaction(store_, [&] { return consume_prompt(store_, "p1", 30); });
    };
    EXPECT_FALSE(consume());
    decide(prompt, PromptState::approved);
    EXPECT_TRUE(consume());
    EXPECT_FALSE(consume());
    EXPECT_EQ(find_prompt(store_, "p1")->consumed_at, 30);
}

TEST_F(Prompts, expire_when_their_time_has_come) {
    add("soon", 100);
    add("later", 101);
    add("never");
    in_transaction(store_, [&] { expire_prompts(store_, 100); });
    EXPECT_EQ(state_of("soon") + state_of("later") + state_of("never"), "expiredpendingpending");
}

TEST_F(Prompts, are_cancelled_unless_consumed) {
    add("pending");
    decide(add("approved"), PromptState::approved);
    decide(add("consumed"), PromptState::approved);
    in_transaction(store_, [&] {
        consume_prompt(store_, "consumed", 30);
        cancel_prompts(store_, turn_, 40);
    });
    EXPECT_EQ(state_of("pending"), "cancelled");
    EXPECT_EQ(state_of("approved"), "cancelled");
    EXPECT_EQ(state_of("consumed"), "approved");
    EXPECT_EQ(find_prompt(store_, "pending")->decided_at, 40);
    EXPECT_EQ(find_prompt(store_, "approved")->decided_at, 20);
}

// L-43
TEST_F(Prompts, of_an_agent_are_cancelled_where_they_are_pending) {
    add("p1");
    add("p2");
    decide(add("p3"), PromptState::denied);
    const AgentId other = add_agent(store_, "bob");
    std::int64_t cancelled = -1;
    in_transaction(store_, [&] { cancelled = cancel_pending_prompts(store_, other, 30); });
    EXPECT_EQ(cancelled, 0);
    in_transaction(store_, [&] { cancelled = cancel_pending_prompts(store_, agent_, 30); });
    EXPECT_EQ(cancelled, 2);
    EXPECT_EQ(state_of("p1") + state_of("p2") + state_of("p3"), "cancelledcancelleddenied");
    EXPECT_EQ(find_prompt(store_, "p1")->decided_at, 30);
}

// Each that waits or is approved needs what it is bound to; nobody else does.
TEST_F(Prompts, keep_a_fingerprint_as_long_as_one_needs_it) {
    const std::string packed("a\0b", 3);
    const auto kept = [&](const std::string& hash) { return load_fingerprint(store_, hash); };
    const auto ask = [&](const std::string& id, const std::string& files) {
        Prompt prompt = add("model" + id, 99);
        prompt.id = id;
        prompt.files = files;
        prompt.fingerprint = packed;
        in_transaction(store_, [&] { insert_prompt(store_, prompt); });
        return prompt;
    };
    Prompt one = ask("one", "h1");
    const Prompt two = ask("two", "h1");
    EXPECT_EQ(kept("h1"), packed);
    EXPECT_EQ(find_prompt(store_, "one")->files, "h1");
    decide(two, PromptState::denied);
    EXPECT_EQ(kept("h1"), packed);
    one.files = "h2";
    one.fingerprint = "later";
    EXPECT_TRUE(decide(one, PromptState::approved));
    EXPECT_EQ(kept("h1"), "");
    EXPECT_EQ(kept("h2"), "later");
    one.files = "h3";
    EXPECT_FALSE(decide(one, PromptState::approved));
    EXPECT_EQ(kept("h3"), "");
    in_transaction(store_, [&] { return consume_prompt(store_, "one", 30); });
    EXPECT_EQ(kept("h2"), "");

    const Prompt same = ask("same", "h4");
    EXPECT_TRUE(decide(same, PromptState::approved));
    EXPECT_EQ(kept("h4"), packed);
    in_transaction(store_, [&] { cancel_prompt(store_, "same", 30); });
    EXPECT_EQ(kept("h4"), "");
    ask("expires", "h5");
    in_transaction(store_, [&] { expire_prompts(store_, 100); });
    EXPECT_EQ(kept("h5"), "");
}

}  // namespace
}  // namespace chorus::store
