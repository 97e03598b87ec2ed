#include "agent/layout.hpp"

#include <set>

#include "support/scratch.hpp"

namespace chorus::agent {
namespace {

TEST(Home, keeps_everything_beneath_itself_under_names_of_their_own) {
    const Home home("/h");
    std::set<std::string> names;
    for (const std::string& path : {home.database(),
                                    home.config(),
                                    home.credentials(),
                                    home.available_models(),
                                    home.presets(),
                                    home.template_directory(),
                                    home.agents(),
                                    home.agent("ada"),
                                    home.archive(),
                                    home.archive("ada", 2),
                                    home.archived_sessions("ada", 2),
                                    home.locks(),
                                    home.gate(),
                                    home.presence_lock(),
                                    home.agent_lock(7),
                                    home.thread_lock(7, 1),
                                    home.thread_lock(7, 12),
                                    home.thread_lock(71, 2),
                                    home.file_lock(7),
                                    home.configuration_lock(7),
                                    home.branches_lock(7),
                                    home.channel_lock(7),
                                    home.destroy_lock(7),
                                    home.configuration_lock(),
                                    home.birth_lock(),
                                    home.sandbox_state()}) {
        EXPECT_EQ(path.rfind("/h/", 0), 0U) << path;
        EXPECT_TRUE(names.insert(path).second) << path;
    }
}

// the names of chorus-home(5) are a contract
TEST(Home, has_the_names_of_the_manual) {
    const Home home("/h");
    EXPECT_EQ(home.database(), "/h/chorus.db");
    EXPECT_EQ(home.config(), "/h/config.json");
    EXPECT_EQ(home.available_models(), "/h/available_models.json");
    EXPECT_EQ(home.agent("ada"), "/h/agents/ada");
    EXPECT_EQ(home.directory("agents/ada").path(), "/h/agents/ada");
    EXPECT_EQ(home.template_directory(), "/h/template");
    EXPECT_EQ(home.agent_lock(7).rfind(home.locks() + "/", 0), 0U);
    EXPECT_EQ(home.thread_lock(7, 1).rfind(home.locks() + "/", 0), 0U);
}

TEST(Directory, has_the_names_of_the_manual) {
    const Directory directory("/h/agents/ada");
    EXPECT_EQ(directory.configuration(), "/h/agents/ada/agent.json");
    EXPECT_EQ(directory.docs(), "/h/agents/ada/docs");
    EXPECT_EQ(directory.sessions(), "/h/agents/ada/sessions");
    EXPECT_EQ(directory.workspace(), "/h/agents/ada/workspace");
    EXPECT_EQ(directory.artifacts(), "/h/agents/ada/artifacts");
    EXPECT_EQ(directory.current(), "/h/agents/ada/current");
    EXPECT_EQ(directory.branch("main"), "/h/agents/ada/branches/main");
    EXPECT_EQ(directory.branch_metadata("b"), "/h/agents/ada/branches/b/branch-metadata.yml");
    EXPECT_EQ(directory.branch_agents("b"), "/h/agents/ada/branches/b/agents");
}

TEST(Directory, gives_a_thread_without_a_branch_a_transcript_of_its_own) {
    const Directory directory("/a");
    EXPECT_EQ(directory.transcript("main", 1, true), "/a/branches/main/session.md");
    EXPECT_EQ(directory.transcript("b", 4, true), "/a/branches/b/session.md");
    EXPECT_EQ(directory.transcript("main", 3, false), "/a/branches/main/session-t3.md");
}

}  // namespace
}  // namespace chorus::agent
