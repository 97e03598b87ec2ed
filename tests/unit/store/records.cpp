#include "store/records.hpp"

#include "events.hpp"
#include "home.hpp"

namespace chorus::store {
namespace {

TEST(Events, come_back_in_order) {
    const Home home;
    Store store = home.open();
    EventRow first;
    first.agent_id = 1;
    first.kind = "agent";
    first.next = "active";
    first.cause = "init";
    first.data = "{}";
    EventRow other;
    other.agent_id = 2;
    EventRow second;
    second.agent_id = 1;
    second.thread_id = 2;
    second.turn_id = 3;
    second.at = 4;
    second.kind = "turn";
    second.previous = "starting";
    second.next = "working";
    in_transaction(store, [&] {
        for (const EventRow& row : {first, other, second}) insert_event(store, row);
    });
    const auto events = load_events(store, 1);
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].kind + events[0].next + events[0].cause + events[0].data,
              "agentactiveinit{}");
    EXPECT_EQ(events[0].thread_id, 0);
    EXPECT_EQ(events[1].thread_id, 2);
    EXPECT_EQ(events[1].turn_id, 3);
    EXPECT_EQ(events[1].at, 4);
    EXPECT_EQ(events[1].previous + events[1].next, "startingworking");
}

TEST(Inbox, holds_what_was_not_delivered_oldest_first) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    const Turn turn = add_turn(store, agent);
    in_transaction(store, [&] {
        for (const char* content : {"one", "two"}) {
            InboxRow row;
            row.agent_id = agent;
            row.source = "cli";
            row.content = content;
            row.created_at = 3;
            insert_inbox(store, row);
        }
    });
    const auto waiting = undelivered(store, agent, 1);
    ASSERT_EQ(waiting.size(), 2U);
    EXPECT_EQ(waiting[0].content, "one");
    EXPECT_EQ(waiting[0].source, "cli");
    EXPECT_EQ(waiting[0].created_at, 3);
    in_transaction(store, [&] { mark_delivered(store, waiting[0].id, turn.id); });
    ASSERT_EQ(undelivered(store, agent, 1).size(), 1U);
    EXPECT_EQ(undelivered(store, agent, 1)[0].content, "two");
    EXPECT_TRUE(undelivered(store, agent, 2).empty());
}

TEST(Inbox, takes_a_message_with_a_key_once) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    InboxRow row;
    row.agent_id = agent;
    row.idempotency_key = "call 1 c";
    in_transaction(store, [&] {
        EXPECT_FALSE(has_inbox_key(store, "call 1 c"));
        EXPECT_TRUE(insert_inbox(store, row));
        EXPECT_FALSE(insert_inbox(store, row));
        EXPECT_TRUE(has_inbox_key(store, "call 1 c"));
        row.idempotency_key.clear();
        EXPECT_TRUE(insert_inbox(store, row));
        EXPECT_TRUE(insert_inbox(store, row));
    });
    EXPECT_EQ(undelivered(store, agent, 1).size(), 3U);
}

TEST(Inbox, knows_who_sent_what_a_turn_got) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    const Turn turn = add_turn(store, agent);
    in_transaction(store, [&] {
        for (const char* actor : {"uid 2 (bob)", "uid 1", "uid 2 (bob)", "uid 3"}) {
            InboxRow row;
            row.agent_id = agent;
            row.actor = actor;
            insert_inbox(store, row);
        }
    });
    const auto waiting = undelivered(store, agent, 1);
    EXPECT_EQ(waiting[0].actor, "uid 2 (bob)");
    EXPECT_TRUE(senders(store, turn.id).empty());
    in_transaction(store, [&] {
        for (std::size_t i = 0; i < 3; ++i) mark_delivered(store, waiting[i].id, turn.id);
    });
    EXPECT_EQ(senders(store, turn.id), (std::vector<std::string>{"uid 1", "uid 2 (bob)"}));
}

std::vector<std::int64_t> ids(Store& store, const EventFilter& filter, std::size_t most = 100) {
    std::vector<std::int64_t> found;
    for_each_event(store, filter, [&](const EventRow& row) {
        found.push_back(row.id);
        return found.size() < most;
    });
    return found;
}

TEST(Events, are_read_from_an_id_or_a_time_on) {
    const Home home;
    Store store = home.open();
    in_transaction(store, [&] {
        for (const base::TimeMs at : {10, 20, 30, 25, 40}) {  // a clock that stepped back once
            EventRow row;
            row.agent_id = 1;
            row.at = at;
            insert_event(store, row);
            row.agent_id = 2;
            insert_event(store, row);
        }
    });
    using Ids = std::vector<std::int64_t>;
    EXPECT_EQ(ids(store, {.agent = 1}), (Ids{1, 2, 3, 4, 5}));
    EXPECT_EQ(ids(store, {.agent = 1, .after = 3}), (Ids{4, 5}));
    EXPECT_EQ(ids(store, {.agent = 1, .since = 20}), (Ids{2, 3, 4, 5}));
    EXPECT_EQ(ids(store, {.agent = 1, .since = 26}), (Ids{5}));
    EXPECT_EQ(ids(store, {.agent = 1, .since = 41}), Ids{});
    EXPECT_EQ(ids(store, {.agent = 1, .after = 3, .since = 20}), (Ids{4, 5}));
    EXPECT_EQ(ids(store, {.agent = 1}, 2), (Ids{1, 2}));
    EXPECT_EQ(ids(store, {.agent = 3}), Ids{});
}

TEST(Events, tell_since_when_a_turn_is_at_work) {
    const Home home;
    Store store = home.open();
    EXPECT_EQ(began_work_at(store, 1, 7), 0);
    EventRow row;
    row.agent_id = 1;
    row.kind = "turn";
    const auto add = [&](TurnId turn, base::TimeMs at, const char* next) {
        row.turn_id = turn;
        row.at = at;
        row.next = next;
        in_transaction(store, [&] { insert_event(store, row); });
    };
    add(7, 1, "working");
    add(7, 2, "prompt");
    add(7, 50, "working");
    add(8, 60, "working");
    EXPECT_EQ(began_work_at(store, 1, 7), 50);
    EXPECT_EQ(began_work_at(store, 1, 8), 60);
}

// L-43
TEST(Inbox, what_nobody_has_taken_up_can_be_dropped) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    const AgentId other = add_agent(store, "bob");
    const Turn turn = add_turn(store, agent);
    in_transaction(store, [&] {
        for (const AgentId to : {agent, agent, agent, other}) {
            InboxRow row;
            row.agent_id = to;
            insert_inbox(store, row);
        }
        mark_delivered(store, 1, turn.id);
    });
    std::int64_t dropped = 0;
    in_transaction(store, [&] { dropped = drop_undelivered(store, agent); });
    EXPECT_EQ(dropped, 2);
    EXPECT_TRUE(undelivered(store, agent, 1).empty());
    EXPECT_EQ(undelivered(store, other, 1).size(), 1U);
    EXPECT_EQ(senders(store, turn.id).size(), 1U);
}

}  // namespace
}  // namespace chorus::store
