#include "life/find_agent.hpp"

#include "home.hpp"

namespace chorus::life {
namespace {

using base::ErrorCode;
using store::AgentStatus;
using test::error_of;
using test::says;

class AgentsTest : public HomeTest {
  protected:
    base::Error refusal_of(const std::string& name) {
        return error_of([&] { (void)require_agent(home, store, name); });
    }
};

TEST_F(AgentsTest, are_found_by_name) {
    EXPECT_EQ(require_agent(home, store, give("ada").agent.name).name, "ada");
    EXPECT_EQ(refusal_of("bob").code(), ErrorCode::not_found);
    EXPECT_TRUE(says(refusal_of("b\x1b"), "agent 'b\\x1b': no such agent"));
    EXPECT_TRUE(says(refusal_of("bob"), "there are 'ada'"));
}

TEST_F(AgentsTest, that_are_gone_are_another_error_than_those_that_never_were) {
    const Birth birth = give("ada");
    destroy_keeping_files(birth);
    EXPECT_EQ(refusal_of("ada").code(), ErrorCode::exited);
    EXPECT_EQ(error_of([&] { (void)require_again(store, birth.agent); }).code(), ErrorCode::exited);
    insert("bob", AgentStatus::destroying);
    EXPECT_EQ(refusal_of("bob").code(), ErrorCode::exited);
}

TEST_F(AgentsTest, that_a_crash_left_half_made_are_finished_or_undone) {
    insert("half", AgentStatus::creating);
    EXPECT_EQ(refusal_of("half").code(), ErrorCode::not_found);
    test::put(home.agent("whole") + "/agent.json", "{}");
    insert("whole", AgentStatus::creating);
    EXPECT_EQ(require_agent(home, store, "whole").status, AgentStatus::active);
}

}  // namespace
}  // namespace chorus::life
