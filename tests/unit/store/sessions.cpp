#include "store/sessions.hpp"

#include "home.hpp"

namespace chorus::store {
namespace {

TEST(Sessions, come_back_newest_first) {
    const Home home;
    Store store = home.open();
    Session session;
    session.agent_id = add_agent(store, "ada");
    session.agent_name = "ada";
    session.description = "before the rewrite";
    session.summary = "It works.";
    session.trigger = "manual_save";
    session.message_count = 42;
    session.window_start = 1;
    session.window_end = 2;
    session.file_path = "agents/ada/sessions/2026-02-12_x.json";
    session.sha256 = "abc";
    in_transaction(store, [&] {
        for (const base::TimeMs time : {10, 30, 20}) {
            session.id = "s" + std::to_string(time);
            session.saved_at = time;
            insert_session(store, session);
        }
        session.summary = "It works better.";
        insert_session(store, session);
    });
    const auto sessions = list_sessions(store, session.agent_id);
    ASSERT_EQ(sessions.size(), 3U);
    EXPECT_EQ(sessions[0].id + sessions[1].id + sessions[2].id, "s30s20s10");
    EXPECT_EQ(sessions[1].summary, "It works better.");
    EXPECT_EQ(sessions[1].description, "before the rewrite");
    EXPECT_EQ(sessions[1].trigger, "manual_save");
    EXPECT_EQ(sessions[1].message_count, 42);
    EXPECT_EQ(sessions[1].window_start, 1);
    EXPECT_EQ(sessions[1].window_end, 2);
    EXPECT_EQ(sessions[1].file_path, session.file_path);
    EXPECT_EQ(sessions[1].sha256, "abc");
    EXPECT_TRUE(list_sessions(store, add_agent(store, "bob")).empty());
}

TEST(Sessions, are_found_by_the_beginning_of_their_id) {
    const Home home;
    Store store = home.open();
    Session session;
    session.agent_id = add_agent(store, "ada");
    in_transaction(store, [&] {
        for (const char* id : {"ab", "abc", "abd", "b%", "b_", "c\xc3\xa9"}) {
            session.id = id;
            insert_session(store, session);
        }
    });
    const auto found = [&](const char* prefix) {
        std::string ids;
        for (const Session& one : find_sessions(store, session.agent_id, prefix))
            ids += one.id + " ";
        return ids;
    };
    EXPECT_EQ(found("ab"), "ab ");
    EXPECT_EQ(found("abc"), "abc ");
    EXPECT_EQ(found("a"), "ab abc ");
    EXPECT_EQ(found("b%"), "b% ");
    EXPECT_EQ(found("c"), "c\xc3\xa9 ");
    EXPECT_EQ(found("x"), "");
    EXPECT_EQ(found("AB"), "");
    EXPECT_TRUE(find_sessions(store, add_agent(store, "bob"), "ab").empty());
}

// C-47
TEST(Sessions, of_one_time_the_last_made_comes_first) {
    const Home home;
    Store store = home.open();
    Session session;
    session.agent_id = add_agent(store, "ada");
    session.saved_at = 7;
    in_transaction(store, [&] {
        for (const char* id : {"m", "z", "a"}) {
            session.id = id;
            insert_session(store, session);
        }
    });
    std::string ids;
    for (const Session& one : list_sessions(store, session.agent_id)) ids += one.id;
    EXPECT_EQ(ids, "azm");
    EXPECT_EQ(list_sessions(store, session.agent_id, 2).size(), 2U);
    in_transaction(store, [&] { forget_session_file(store, session.agent_id, "z"); });
    EXPECT_EQ(list_sessions(store).size(), 3U);
}

TEST(Sessions, say_where_their_file_is_now) {
    const Home home;
    Store store = home.open();
    Session session;
    session.agent_id = add_agent(store, "ada");
    session.sha256 = "abc";
    for (const char* id : {"s1", "s2"}) {
        session.id = id;
        session.file_path = std::string("agents/ada/sessions/") + id;
        in_transaction(store, [&] { insert_session(store, session); });
    }
    in_transaction(store, [&] { set_session_file(store, session.agent_id, "s1", "archive/s1"); });
    EXPECT_EQ(find_sessions(store, session.agent_id, "s1")[0].file_path, "archive/s1");
    EXPECT_EQ(find_sessions(store, session.agent_id, "s1")[0].sha256, "abc");
    EXPECT_EQ(find_sessions(store, session.agent_id, "s2")[0].file_path, "agents/ada/sessions/s2");
}

}  // namespace
}  // namespace chorus::store
