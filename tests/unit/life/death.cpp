#include "life/death.hpp"

#include "home.hpp"
#include "life/find_agent.hpp"
#include "life/leftovers.hpp"
#include "store/sessions.hpp"
#include "sys/file.hpp"
#include "unit/store/events.hpp"

namespace chorus::life {
namespace {

using base::ErrorCode;
using store::AgentStatus;
using test::error_of;
using test::is_there;
using test::put;
using test::text_of;

class DeathTest : public HomeTest {
  protected:
    store::Agent ada = give("ada").agent;
    const std::string sessions = home.agent("ada") + "/sessions";
    const std::string archive = home.path() + "/archive/ada-1/sessions";

    void add_session(const std::string& id, const std::string& path, store::AgentId agent = 0) {
        store::Session session;
        session.id = id;
        session.agent_id = agent == 0 ? ada.id : agent;
        session.agent_name = "ada";
        session.file_path = path;
        session.sha256 = "hash";
        store::Transaction transaction(store);
        store::insert_session(store, session);
        transaction.commit();
    }
    std::string path_of(const std::string& id, store::AgentId agent = 0) {
        return store::find_sessions(store, agent == 0 ? ada.id : agent, id).front().file_path;
    }
    store::Agent add_child(const std::string& name, store::AgentId parent) {
        store::Agent row;
        row.name = name;
        row.kind = "child";
        row.parent_id = parent;
        row.dir = "agents/ada/branches/main/agents/" + name;
        store::Transaction transaction(store);
        const store::Agent child = store::insert_agent(store, row);
        store::set_agent_status(store, child.id, AgentStatus::active);
        transaction.commit();
        return *store::find_agent(store, child.id);
    }
    std::size_t finish(Files files) {
        return finish_destroying(home, store, family_of(store, ada), files);
    }
    std::string events_of(store::AgentId agent) {
        std::string text;
        for (const store::EventRow& event : store::load_events(store, agent))
            if (event.cause == "destroy")
                text += event.previous + ">" + event.next + " " + event.data + "\n";
        return text;
    }
};

// L-45
TEST_F(DeathTest, of_a_link_is_refused) {
    std::filesystem::rename(home.agent("ada"), scratch / "moved");
    std::filesystem::create_directory_symlink(scratch / "moved", home.agent("ada"));
    for (const Files files : {Files::archived, Files::kept, Files::purged})
        EXPECT_EQ(error_of([&] { check_removable(home, ada, files); }).code(),
                  ErrorCode::bad_request);
    EXPECT_EQ(error_of([&] { take_away(home, ada); }).code(), ErrorCode::bad_request);
    EXPECT_TRUE(is_there(scratch / "moved/agent.json"));
}

TEST_F(DeathTest, of_linked_sessions_is_refused) {
    std::filesystem::remove(sessions);
    put(scratch / "mine/x.json", "{}");
    std::filesystem::create_directory_symlink(scratch / "mine", sessions);
    EXPECT_EQ(error_of([&] { check_removable(home, ada, Files::archived); }).code(),
              ErrorCode::bad_request);
    EXPECT_EQ(error_of([&] { place_sessions(home, ada, Files::archived); }).code(),
              ErrorCode::bad_request);
    EXPECT_TRUE(is_there(scratch / "mine/x.json"));
}

// L-45
TEST_F(DeathTest, of_a_directory_elsewhere_is_refused) {
    for (const char* dir : {"agents/bob", "../ada", "/etc", "agents/ada/", ""}) {
        ada.dir = dir;
        EXPECT_EQ(error_of([&] { check_removable(home, ada, Files::archived); }).code(),
                  ErrorCode::failed)
            << dir;
    }
}

TEST_F(DeathTest, of_a_directory_that_is_gone_is_none) {
    sys::remove_tree(home.agent("ada"));
    check_removable(home, ada, Files::archived);
    place_sessions(home, ada, Files::archived);
    EXPECT_EQ(take_away(home, ada), "");
    EXPECT_EQ(finish(Files::archived), 0U);
    EXPECT_FALSE(is_there(home.archive()));
}

TEST_F(DeathTest, takes_the_descendants_along) {
    const store::Agent child = add_child("x-1", ada.id);
    const store::Agent grandchild = add_child("x-2", child.id);
    const store::Agent other = give("bob").agent;
    const auto family = family_of(store, ada);
    ASSERT_EQ(family.size(), 3U);
    EXPECT_EQ(family[0].id, ada.id);
    EXPECT_EQ(family[2].id, grandchild.id);
    begin_destroying(store, family, Files::archived, {"uid 7"});
    for (const store::Agent& member : family)
        EXPECT_EQ(store::find_agent(store, member.id)->status, AgentStatus::destroying);
    finish(Files::archived);
    for (const store::Agent& member : family) {
        EXPECT_EQ(store::find_agent(store, member.id)->status, AgentStatus::destroyed);
        EXPECT_NE(store::find_agent(store, member.id)->destroyed_at, 0);
    }
    EXPECT_EQ(store::find_agent(store, other.id)->status, AgentStatus::active);
}

// L-54
TEST_F(DeathTest, is_an_event_at_its_beginning_and_at_its_end_however_often_it_begins) {
    begin_destroying(store, family_of(store, ada), Files::kept, {"uid 7"});
    ada = *store::find_agent(store, ada.id);
    begin_destroying(store, family_of(store, ada), Files::archived, {"uid 8"});
    finish(Files::archived);
    EXPECT_EQ(events_of(ada.id),
              "active>destroying files kept\ndestroying>destroyed files archived\n");
    std::string actors;
    store::for_each_audit(store, {}, [&](const store::AuditEntry& entry) {
        if (entry.row.action == "agent:destroy")
            actors += entry.row.actor + " " + entry.row.detail + "\n";
        return true;
    });
    EXPECT_EQ(actors, "uid 7 files kept\nuid 8 files archived\n");
}

TEST_F(DeathTest, one_that_has_begun_can_be_gone_on_with) {
    EXPECT_EQ(require_destroyable(home, store, "ada").id, ada.id);
    begin_destroying(store, family_of(store, ada), Files::archived, {});
    EXPECT_EQ(require_destroyable(home, store, "ada").status, AgentStatus::destroying);
    finish(Files::archived);
    EXPECT_EQ(error_of([&] { require_destroyable(home, store, "ada"); }).code(), ErrorCode::exited);
    EXPECT_EQ(error_of([&] { require_destroyable(home, store, "bob"); }).code(),
              ErrorCode::not_found);
}

// L-44 L-45
TEST_F(DeathTest, archives_the_sessions_and_their_rows_follow) {
    put(sessions + "/one.json", "1");
    put(sessions + "/.chorus-write-3.tmp", "half");
    add_session("s1", "agents/ada/sessions/one.json");
    add_session("s2", "agents/ada/sessions/lost.json");
    add_session("s3", "elsewhere/three.json");
    place_sessions(home, ada, Files::archived);
    place_sessions(home, ada, Files::archived);
    EXPECT_EQ(text_of(archive + "/one.json"), "1");
    EXPECT_FALSE(is_there(archive + "/.chorus-write-3.tmp"));
    EXPECT_EQ(finish(Files::archived), 1U);
    EXPECT_EQ(path_of("s1"), "archive/ada-1/sessions/one.json");
    EXPECT_EQ(path_of("s2"), "");
    EXPECT_EQ(path_of("s3"), "elsewhere/three.json");
}

TEST_F(DeathTest, without_sessions_makes_no_archive) {
    place_sessions(home, ada, Files::archived);
    EXPECT_FALSE(is_there(home.archive()));
}

TEST_F(DeathTest, brings_sessions_back_that_a_run_before_had_archived) {
    put(sessions + "/one.json", "1");
    add_session("s1", "agents/ada/sessions/one.json");
    place_sessions(home, ada, Files::archived);
    place_sessions(home, ada, Files::kept);
    EXPECT_EQ(text_of(sessions + "/one.json"), "1");
    EXPECT_FALSE(is_there(home.archive("ada", 1)));
    EXPECT_EQ(finish(Files::kept), 1U);
    EXPECT_EQ(path_of("s1"), "agents/ada/sessions/one.json");
    EXPECT_TRUE(store::find_agent(store, ada.id)->files_kept);
}

TEST_F(DeathTest, overwrites_nothing_in_the_archive) {
    put(archive + "/one.json", "older");
    put(archive + "/two.json", "older");
    put(sessions + "/one.json", "1");
    EXPECT_EQ(error_of([&] { place_sessions(home, ada, Files::archived); }).code(),
              ErrorCode::exists);
    EXPECT_EQ(text_of(archive + "/one.json"), "older");
    EXPECT_EQ(text_of(sessions + "/one.json"), "1");
}

TEST_F(DeathTest, can_purge_what_a_run_before_had_archived) {
    put(sessions + "/one.json", "1");
    add_session("s1", "agents/ada/sessions/one.json");
    place_sessions(home, ada, Files::archived);
    place_sessions(home, ada, Files::purged);
    EXPECT_FALSE(is_there(home.archive("ada", 1)));
    EXPECT_EQ(finish(Files::purged), 0U);
    EXPECT_EQ(path_of("s1"), "");
}

// L-49
TEST_F(DeathTest, rows_of_earlier_namesakes_follow_the_files_they_share) {
    put(sessions + "/one.json",
        R"({"id": "s1", "saved_at": "2026-02-12T10:30:00Z", "messages": []})");
    add_session("s1", "agents/ada/sessions/one.json");
    finish(Files::kept);
    const store::Agent second = give(options_for("ada")).agent;
    ASSERT_EQ(second.generation, 2);
    add_session("s0", "archive/ada-1/sessions/old.json");
    place_sessions(home, second, Files::archived);
    finish_destroying(home, store, family_of(store, second), Files::archived);
    EXPECT_EQ(path_of("s1"), "archive/ada-2/sessions/one.json");
    EXPECT_EQ(path_of("s1", second.id), "archive/ada-2/sessions/one.json");
    EXPECT_EQ(path_of("s0"), "archive/ada-1/sessions/old.json");
}

// L-45
TEST_F(DeathTest, takes_the_directory_away_whole_and_follows_no_link) {
    put(scratch / "mine/file", "x");
    std::filesystem::create_directory_symlink(scratch / "mine", home.agent("ada") + "/workspace/l");
    const std::string rest = take_away(home, ada);
    EXPECT_FALSE(is_there(home.agent("ada")));
    EXPECT_TRUE(is_there(rest + "/agent.json"));
    EXPECT_TRUE(rest.starts_with(home.agents() + "/.tmp-")) << rest;
    EXPECT_FALSE(has_remains(home, "ada")) << "this process is at it";
    sys::remove_tree(rest);
    EXPECT_TRUE(is_there(scratch / "mine/file"));
}

}  // namespace
}  // namespace chorus::life
