#include "life/adoption.hpp"

#include "agent/archive.hpp"
#include "home.hpp"
#include "store/sessions.hpp"

namespace chorus::life {
namespace {

using base::ErrorCode;
using test::error_of;
using test::is_there;
using test::put;
using test::Scratch;
using test::text_of;

TEST(BringIn, copies_a_directory_without_its_links) {
    const Scratch scratch;
    put(scratch / "from/a/b", "x");
    std::filesystem::create_symlink("/etc/hostname", scratch / "from/link");
    std::filesystem::create_directory(scratch / "to");
    EXPECT_TRUE(bring_in(scratch / "from", scratch / "to").empty());
    EXPECT_EQ(text_of(scratch / "to/a/b"), "x");
    EXPECT_FALSE(is_there(scratch / "to/link"));
    EXPECT_EQ(error_of([&] { bring_in(scratch / "none", scratch / "to"); }).code(),
              ErrorCode::not_found);
    EXPECT_EQ(error_of([&] { bring_in(scratch / "from/a/b", scratch / "to"); }).code(),
              ErrorCode::bad_request);
}

TEST(TrustKeys, are_set_aside) {
    for (const char* key : {"budget", "channel_id", "environment", "hooks", "mcpServers", "notify",
                            "permissions", "sandbox"}) {
        const std::string text =
            R"({"first":1,")" + std::string(key) + R"(":{"a":["x"]},"last":2})";
        const SetAside parted = set_aside_trust_keys(text);
        EXPECT_EQ(parted.keys, std::vector<std::string>{key});
        EXPECT_EQ(parted.text.find(key), std::string::npos);
        EXPECT_NE(parted.text.find("\"first\": 1"), std::string::npos);
        EXPECT_NE(parted.text.find("\"last\": 2"), std::string::npos);
        EXPECT_NE(parted.aside.find(key), std::string::npos);
        EXPECT_EQ(parted.aside.find("first"), std::string::npos);
    }
}

TEST(TrustKeys, that_widen_nothing_stay) {
    for (const char* text :
         {R"({"permissions":"standard"})", R"({"permissions":"locked"})", R"({"channel_id":null})",
          R"({"hooks":null,"sandbox":null})", "{}", R"({"model":"x","description":"y"})"})
        EXPECT_TRUE(set_aside_trust_keys(text).keys.empty()) << text;
    for (const char* text : {R"({"permissions":"open"})", R"({"permissions":"sandboxed"})",
                             R"({"permissions":"custom"})", R"({"permissions":{"deny":[]}})",
                             R"({"permissions":["standard"]})"})
        EXPECT_EQ(set_aside_trust_keys(text).keys.size(), 1U) << text;
}

TEST(TrustKeys, cannot_hide_behind_a_second_one) {
    for (const char* text :
         {R"({"permissions":"standard","permissions":"open"})", R"({"hooks":null,"hooks":{}})",
          R"({"hooks":null,"\u0068ooks":{}})", "{", "", "{}x"})
        EXPECT_EQ(error_of([&] { (void)set_aside_trust_keys(text); }).code(),
                  ErrorCode::config_invalid)
            << text;
}

TEST(ResetGit, removes_what_git_would_run_or_obey) {
    const Scratch scratch;
    const std::string git = scratch / ".git";
    for (const std::string& trap : agent::git_traps()) put(git + "/" + trap, "x");
    put(git + "/HEAD", "ref: refs/heads/main\n");
    put(git + "/objects/ab/cdef", "x");
    put(git + "/refs/heads/main", "x");
    reset_git(scratch.path());
    for (const std::string& trap : agent::git_traps())
        EXPECT_FALSE(is_there(git + "/" + trap)) << trap;
    EXPECT_TRUE(is_there(git + "/HEAD"));
    EXPECT_TRUE(is_there(git + "/objects/ab/cdef"));
    EXPECT_TRUE(is_there(git + "/refs/heads/main"));
}

TEST(ResetGit, removes_a_git_that_is_elsewhere_and_leaves_that) {
    const Scratch scratch;
    put(scratch / "other/hooks/x", "x");
    put(scratch / "one/.git", "gitdir: ../other\n");
    reset_git(scratch / "one");
    EXPECT_FALSE(is_there(scratch / "one/.git"));
    std::filesystem::create_directory(scratch / "two");
    std::filesystem::create_directory_symlink(scratch / "other", scratch / "two/.git");
    reset_git(scratch / "two");
    EXPECT_FALSE(is_there(scratch / "two/.git"));
    EXPECT_TRUE(is_there(scratch / "other/hooks/x"));
    EXPECT_NO_THROW(reset_git(scratch / "nowhere"));
}

class IndexTest : public HomeTest {
  protected:
    IndexTest() : agent(give("ada").agent) {}
    void session(const std::string& name, const std::string& json) const {
        put(directory("ada").sessions() + "/" + name, json);
    }
    std::size_t index() {
        const auto rows = read_sessions(agent, directory("ada"));
        store::Transaction transaction(store);
        for (const store::Session& row : rows) store::insert_session(store, row);
        transaction.commit();
        return rows.size();
    }
    store::Agent agent;
};

// L-49
TEST_F(IndexTest, reads_the_shapes_that_session_files_have) {
    session(
        "new.json",
        R"({"schema":"chorus.session/1","id":"a","session_id":"a","agent_name":"old","description":"d",
        "summary":"s","saved_at":"2026-02-12T10:30:00.000Z","trigger":"idle_timeout","message_count":7,
        "window_start":"2026-02-11T10:30:00Z","window_end":"2026-02-12T10:29:00Z","messages":[]})");
    session("old.json",
            R"({"session_id":"b","timestamp":"2026-02-12T10:30:00.001Z","messages":[{},{}]})");
    EXPECT_EQ(index(), 2U);
    const auto rows = store::list_sessions(store, agent.id);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].id, "b");
    EXPECT_EQ(rows[0].agent_name, "ada");
    EXPECT_EQ(rows[0].trigger, "manual_save");
    EXPECT_EQ(rows[0].message_count, 2);
    EXPECT_EQ(rows[1].id, "a");
    EXPECT_EQ(rows[1].agent_name, "old");
    EXPECT_EQ(rows[1].description, "d");
    EXPECT_EQ(rows[1].summary, "s");
    EXPECT_EQ(rows[1].trigger, "idle_timeout");
    EXPECT_EQ(rows[1].message_count, 7);
    EXPECT_EQ(rows[1].saved_at, 1'770'892'200'000);
    EXPECT_EQ(rows[1].window_start, 1'770'892'200'000 - 86'400'000);
    EXPECT_EQ(rows[1].file_path, "agents/ada/sessions/new.json");
    EXPECT_EQ(rows[1].sha256.size(), 64U);
}

TEST_F(IndexTest, gives_an_id_to_a_session_without_one_and_doubles_none) {
    session("none.json", R"({"messages":[]})");
    session("wrong.json", R"({"id":5,"saved_at":false,"message_count":"x","messages":"x"})");
    session("same.json", R"({"id":"c","messages":[]})");
    EXPECT_EQ(index(), 3U);
    EXPECT_EQ(store::list_sessions(store, agent.id).size(), 3U);
    session("same2.json", R"({"id":"c","messages":[]})");
    std::filesystem::remove(directory("ada").sessions() + "/none.json");
    std::filesystem::remove(directory("ada").sessions() + "/wrong.json");
    EXPECT_EQ(index(), 2U);
    EXPECT_EQ(store::list_sessions(store, agent.id).size(), 3U);
}

}  // namespace
}  // namespace chorus::life
