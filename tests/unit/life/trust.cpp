#include "life/trust.hpp"

#include <unistd.h>

#include "home.hpp"
#include "store/prompts.hpp"
#include "store/settings.hpp"
#include "sys/clock.hpp"

namespace chorus::life {
namespace {

using test::put;
using test::text_of;

class TrustTest : public HomeTest {
  protected:
    std::string part_of(const std::string& name) const {
        return agent::trust_part(text_of(directory(name).configuration()));
    }
    std::vector<store::AuditRow> audit(const store::Agent& agent) {
        std::vector<store::AuditRow> rows;
        store::for_each_audit(store, {.agent = agent.name}, [&](const store::AuditEntry& entry) {
            rows.push_back(entry.row);
            return true;
        });
        return rows;
    }
    template <typename Work>
    void in_transaction(Work work) {
        store::Transaction transaction(store);
        work();
        transaction.commit();
    }
    std::string add_prompt(const store::Agent& agent, chat::PromptKind kind) {
        store::Prompt prompt;
        prompt.id = std::string(chat::prompt_kinds.name(kind)) + std::to_string(++prompts_);
        prompt.agent_id = agent.id;
        prompt.kind = kind;
        prompt.created_at = sys::now_ms();
        in_transaction([&] { store::insert_prompt(store, prompt); });
        return prompt.id;
    }
    std::string state_of(const std::string& prompt) {
        return std::string(name(store::find_prompt(store, prompt)->state));
    }

    Decider decider{"uid 1000"};
    int prompts_ = 0;
};

TEST_F(TrustTest, begins_with_what_an_agent_is_born_with) {
    BirthOptions options = options_for("ada");
    options.permissions = "\"open\"";
    options.channel = "webhook:https://example.com/x";
    const Birth birth = give(options);
    EXPECT_EQ(trusted_part(store, birth.agent.id),
              R"({"channel_id":"webhook:https://example.com/x","permissions":"open"})");
    EXPECT_TRUE(audit(birth.agent).empty()) << "birth has its own record";
    put(home.template_directory() + "/agent.json",
        R"({"environment":["x"],"permissions":"locked"})");
    EXPECT_EQ(trusted_part(store, give("bob").agent.id),
              R"({"environment":["x"],"permissions":"locked"})");
}

TEST_F(TrustTest, begins_with_what_an_adoption_leaves) {
    const char* text = R"({"model":"builtin/script","environment":["x"],"permissions":"open"})";
    put(home.agent("ada") + "/agent.json", text);
    BirthOptions options = options_for("ada");
    options.adopt = "";
    EXPECT_EQ(trusted_part(store, give(options).agent.id), "{}") << "they were set aside";

    put(home.agent("bob") + "/agent.json", text);
    options.name = "bob";
    options.trust = true;
    EXPECT_EQ(trusted_part(store, give(options).agent.id),
              R"({"environment":["x"],"permissions":"open"})");
}

TEST_F(TrustTest, of_an_agent_that_this_home_kept_is_what_it_was_kept_with) {
    BirthOptions options = options_for("ada");
    options.permissions = "\"open\"";
    destroy_keeping_files(give(options));
    const Birth again = give(options_for("ada"));
    EXPECT_TRUE(again.adopted);
    EXPECT_EQ(trusted_part(store, again.agent.id), R"({"permissions":"open"})");
}

TEST_F(TrustTest, is_recorded_at_first_sight_where_the_agent_is_older_than_the_record) {
    insert("ada", store::AgentStatus::active);
    const store::Agent ada = *store::find_agent(store, "ada");
    EXPECT_EQ(trusted_part(store, ada.id), "");
    EXPECT_EQ(settled_trust(store, ada, R"({"permissions":"open","model":"m"})", decider),
              R"({"permissions":"open"})");
    EXPECT_EQ(trusted_part(store, ada.id), R"({"permissions":"open"})");
    const auto rows = audit(ada);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].action, "trust:agent.json");
    EXPECT_EQ(rows[0].decision, "allow");
    EXPECT_EQ(rows[0].actor, "uid 1000");
    EXPECT_NE(rows[0].detail.find("nothing was recorded yet"), std::string::npos);
    EXPECT_NE(rows[0].detail.find("permissions: nothing to \"open\""), std::string::npos)
        << rows[0].detail;

    EXPECT_EQ(settled_trust(store, ada, R"({"permissions":"locked"})", decider),
              R"({"permissions":"open"})")
        << "at first sight only";
    EXPECT_EQ(audit(ada).size(), 1U);
}

TEST_F(TrustTest, that_was_tampered_with_trusts_nothing) {
    const store::Agent ada = give("ada").agent;
    const std::string scope = "agent/" + std::to_string(ada.id);
    const std::string record = store::find_setting(store, scope, "trust");
    for (const std::string& changed :
         {record + " ", "0" + record, record.substr(0, 64), std::string("x"),
          record.substr(0, 65) + R"({"permissions":"open"})"}) {
        in_transaction([&] { store::set_setting(store, scope, "trust", changed); });
        EXPECT_EQ(trusted_part(store, ada.id), "{}") << changed;
    }
    in_transaction([&] { store::set_setting(store, scope, "trust", record); });
    EXPECT_EQ(trusted_part(store, ada.id), part_of("ada"));
}

TEST_F(TrustTest, decided_by_a_person_is_in_the_audit_and_answers_what_was_asked) {
    const store::Agent ada = give("ada").agent;
    const store::Agent bob = give("bob").agent;
    const std::string asked = add_prompt(ada, chat::PromptKind::trust);
    const std::string other_kind = add_prompt(ada, chat::PromptKind::permission);
    const std::string other_agent = add_prompt(bob, chat::PromptKind::trust);
    const std::string file = R"({"permissions":"open","environment":[")" +
                             std::string("sk-ant-api03-abcdefghijklmnopqrstuvwxyz") + "\"]}";
    in_transaction([&] { decide_trust(store, ada, agent::trust_part(file), file, decider); });

    EXPECT_EQ(trusted_part(store, ada.id), agent::trust_part(file));
    EXPECT_EQ(state_of(asked), "approved");
    EXPECT_EQ(store::find_prompt(store, asked)->decided_by, "uid 1000");
    EXPECT_EQ(state_of(other_kind), "pending");
    EXPECT_EQ(state_of(other_agent), "pending");
    const auto rows = audit(ada);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].decision, "ask_approved");
    EXPECT_EQ(rows[0].user_id, static_cast<std::int64_t>(getuid()));
    EXPECT_NE(rows[0].detail.find("permissions: \"standard\""), std::string::npos);
    EXPECT_NE(rows[0].detail.find(" to \"open\""), std::string::npos);
    EXPECT_NE(rows[0].detail.find("environment: nothing to "), std::string::npos);
    EXPECT_EQ(rows[0].detail.find("sk-ant"), std::string::npos) << "no key is stored";
    EXPECT_EQ(store::check_audit(store).broken_row, 0);
}

TEST_F(TrustTest, of_one_key_answers_no_question_about_another) {
    const store::Agent ada = give("ada").agent;
    const std::string asked = add_prompt(ada, chat::PromptKind::trust);
    const char* file = R"({"permissions":"open","sandbox":"off"})";
    const std::string before = trusted_part(store, ada.id);
    const auto decide = [&](const std::string& part) {
        in_transaction([&] { decide_trust(store, ada, part, file, decider); });
    };
    decide(before);
    EXPECT_TRUE(audit(ada).empty()) << "nothing was decided";
    const std::string one = agent::with_trusted_key(before, "sandbox", file);
    decide(one);
    EXPECT_EQ(trusted_part(store, ada.id), R"({"permissions":"standard","sandbox":"off"})");
    EXPECT_EQ(audit(ada).size(), 1U);
    EXPECT_EQ(state_of(asked), "pending");
    decide(agent::with_trusted_key(one, "permissions", file));
    EXPECT_EQ(state_of(asked), "approved");
}

TEST_F(TrustTest, shows_the_beginning_of_a_long_value_and_its_hash) {
    const store::Agent ada = give("ada").agent;
    const std::string file =
        R"({"permissions":"standard","environment":[")" + std::string(5'000, 'x') + "\"]}";
    in_transaction([&] { decide_trust(store, ada, agent::trust_part(file), file, decider); });
    const std::string detail = audit(ada).at(0).detail;
    EXPECT_LT(detail.size(), 700U);
    EXPECT_NE(detail.find("(sha256 "), std::string::npos);
}

}  // namespace
}  // namespace chorus::life
