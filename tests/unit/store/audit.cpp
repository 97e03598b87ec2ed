#include "home.hpp"
#include "store/records.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

void append(Store& store, AgentId agent, TurnId turn, const std::string& detail) {
    in_transaction(store, [&] {
        append_audit(store, {.agent_id = agent,
                             .agent_name = "ada",
                             .timestamp = 5,
                             .turn_id = turn,
                             .action = "tool:bash:make",
                             .decision = "allow",
                             .user_id = 1000,
                             .actor = "mia",
                             .detail = detail});
    });
}

void change(Store& store, const std::string& sql) {
    in_transaction(store, [&] { store.prepare(sql).run(); });
}

TEST(Audit, rows_come_back_in_order) {
    const Home home;
    Store store = home.open();
    append(store, 1, 7, "first");
    append(store, 2, 0, "other");
    append(store, 1, 8, "second");
    EXPECT_EQ(load_audit(store, 1, 0).size(), 2U);
    const auto rows = load_audit(store, 1, 8);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].agent_id, 1);
    EXPECT_EQ(rows[0].agent_name, "ada");
    EXPECT_EQ(rows[0].timestamp, 5);
    EXPECT_EQ(rows[0].turn_id, 8);
    EXPECT_EQ(rows[0].action, "tool:bash:make");
    EXPECT_EQ(rows[0].decision, "allow");
    EXPECT_EQ(rows[0].user_id, 1000);
    EXPECT_EQ(rows[0].actor, "mia");
    EXPECT_EQ(rows[0].detail, "second");
}

TEST(Audit, head_follows_the_chain) {
    const Home home;
    Store store = home.open();
    EXPECT_EQ(audit_head(store).rows, 0);
    EXPECT_EQ(audit_head(store).hash, "");
    append(store, 1, 0, "x");
    const AuditHead first = audit_head(store);
    append(store, 1, 0, "x");
    const AuditHead second = audit_head(store);
    EXPECT_EQ(second.rows, 2);
    EXPECT_EQ(second.hash.size(), 64U);
    EXPECT_NE(first.hash, second.hash) << "equal rows, another place in the chain";
    EXPECT_EQ(query_text(store.handle(), "SELECT previous_hash FROM audit_log WHERE id = 2"),
              first.hash);
}

TEST(Audit, leaves_no_gap_after_a_rollback) {
    const Home home;
    Store store = home.open();
    append(store, 1, 0, "a");
    {
        const Transaction transaction(store);
        AuditRow row;
        row.decision = "allow";
        append_audit(store, row);
    }
    append(store, 1, 0, "b");
    EXPECT_EQ(audit_head(store).rows, 2);
    EXPECT_EQ(find_audit_break(store), 0);
}

class AuditChain : public testing::TestWithParam<const char*> {};

TEST_P(AuditChain, shows_what_was_changed) {
    const Home home;
    Store store = home.open();
    for (const char* detail : {"a", "b", "c", "d"}) append(store, 1, 3, detail);
    EXPECT_EQ(find_audit_break(store), 0);
    change(store, GetParam());
    EXPECT_EQ(find_audit_break(store), 2);
}

INSTANTIATE_TEST_SUITE_P(
    Of, AuditChain,
    testing::Values("UPDATE audit_log SET detail = 'B' WHERE id = 2",
                    "UPDATE audit_log SET timestamp = 6 WHERE id = 2",
                    "UPDATE audit_log SET turn_id = NULL WHERE id = 2",
                    "UPDATE audit_log SET decision = 'deny' WHERE id = 2",
                    "UPDATE audit_log SET actor = 'mi', detail = 'ab' WHERE id = 2",
                    "UPDATE audit_log SET hash = previous_hash WHERE id = 2",
                    "DELETE FROM audit_log WHERE id = 2",
                    "UPDATE audit_log SET id = 9 WHERE id = 2"));

}  // namespace
}  // namespace chorus::store
