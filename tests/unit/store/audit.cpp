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

std::vector<AuditEntry> load(Store& store, const AuditFilter& filter) {
    std::vector<AuditEntry> entries;
    for_each_audit(store, filter, [&](const AuditEntry& entry) {
        entries.push_back(entry);
        return true;
    });
    return entries;
}

// "1 3 4"
std::string ids(Store& store, const AuditFilter& filter) {
    std::string all;
    for (const AuditEntry& entry : load(store, filter)) {
        if (!all.empty()) all += ' ';
        all += std::to_string(entry.id);
    }
    return all;
}

TEST(Audit, rows_come_back_as_they_were_appended) {
    const Home home;
    Store store = home.open();
    append(store, 1, 7, "first");
    append(store, 2, 0, "other");
    append(store, 1, 8, "second");
    const auto entries = load(store, {.turn = 8});
    ASSERT_EQ(entries.size(), 1U);
    const AuditRow& row = entries[0].row;
    EXPECT_EQ(entries[0].id, 3);
    EXPECT_EQ(row.agent_id, 1);
    EXPECT_EQ(row.agent_name, "ada");
    EXPECT_EQ(row.timestamp, 5);
    EXPECT_EQ(row.turn_id, 8);
    EXPECT_EQ(row.action, "tool:bash:make");
    EXPECT_EQ(row.decision, "allow");
    EXPECT_EQ(row.user_id, 1000);
    EXPECT_EQ(row.actor, "mia");
    EXPECT_EQ(row.detail, "second");
    EXPECT_EQ(entries[0].hash, audit_head(store).hash);
    EXPECT_EQ(entries[0].previous_hash, load(store, {})[1].hash);
}

class AuditFilters : public testing::Test {
  protected:
    AuditFilters() : store(home.open()) {
        add("ada", 100, 7, "tool:bash:make", "allow");
        add("ben", 200, 8, "tool:bash:rm x", "ask_denied");
        add("ada", 300, 9, "tool:git:push origin", "ask_approved");
        add("ada", 300, 9, "tool:view:a\nb", "deny");
        add("ada", 400, 0, "project-text:AGENTS.md", "allow");
    }
    void add(const std::string& agent, base::TimeMs time, TurnId turn, const std::string& action,
             const std::string& decision) {
        AuditRow row;
        row.agent_name = agent;
        row.timestamp = time;
        row.turn_id = turn;
        row.action = action;
        row.decision = decision;
        in_transaction(store, [&] { append_audit(store, row); });
    }
    static bool of_a_tool(std::string_view action) { return action.starts_with("tool:"); }

    Home home;
    Store store;
};

TEST_F(AuditFilters, choose_rows) {
    EXPECT_EQ(ids(store, {}), "1 2 3 4 5");
    EXPECT_EQ(ids(store, {.agent = "ada"}), "1 3 4 5");
    EXPECT_EQ(ids(store, {.agent = "a"}), "");
    EXPECT_EQ(ids(store, {.since = 200, .until = 400}), "2 3 4");
    EXPECT_EQ(ids(store, {.decision = "allow"}), "1 5");
    EXPECT_EQ(ids(store, {.turn = 9}), "3 4");
    EXPECT_EQ(ids(store, {.after = 3}), "4 5");
    EXPECT_EQ(ids(store, {.action = of_a_tool}), "1 2 3 4");
    EXPECT_EQ(ids(store, {.agent = "ada", .decision = "allow", .action = of_a_tool}), "1");
}

TEST_F(AuditFilters, the_newest_of_what_is_chosen_are_still_oldest_first) {
    EXPECT_EQ(ids(store, {.newest = 2}), "4 5");
    EXPECT_EQ(ids(store, {.newest = 5}), "1 2 3 4 5");
    EXPECT_EQ(ids(store, {.newest = 50}), "1 2 3 4 5");
    EXPECT_EQ(ids(store, {.action = of_a_tool, .newest = 2}), "3 4");
    EXPECT_EQ(ids(store, {.agent = "nobody", .newest = 2}), "");
}

TEST_F(AuditFilters, who_has_seen_enough_is_told_no_more) {
    int seen = 0;
    for_each_audit(store, {}, [&](const AuditEntry&) { return ++seen < 2; });
    EXPECT_EQ(seen, 2);
}

TEST_F(AuditFilters, a_row_is_one_line_of_json) {
    const AuditEntry entry = load(store, {.after = 3})[0];
    const std::string previous = load(store, {})[2].hash;
    EXPECT_EQ(audit_json(entry),
              R"({"schema":"chorus.audit/1","id":4,"created_at":"1970-01-01T00:00:00.300Z",)"
              R"("agent":"ada","agent_id":null,"turn_id":9,"action":"tool:view:a\nb",)"
              R"("decision":"deny","user_id":0,"actor":null,"detail":null,"previous_hash":")" +
                  previous + R"(","hash":")" + entry.hash + R"("})");
    AuditEntry broken = entry;
    broken.row.action = "a\xff";
    EXPECT_NE(audit_json(broken).find("\"a\xef\xbf\xbd\""), std::string::npos);
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

TEST(Audit, the_chain_is_computed_again) {
    const Home home;
    Store store = home.open();
    EXPECT_EQ(check_audit(store).head.rows, 0);
    append(store, 1, 0, "a");
    const AuditHead first = audit_head(store);
    append(store, 1, 0, "b");
    const AuditChain chain = check_audit(store, 1);
    EXPECT_EQ(chain.head.rows, 2);
    EXPECT_EQ(chain.head.hash, audit_head(store).hash);
    EXPECT_EQ(chain.hash_at, first.hash);
    EXPECT_EQ(check_audit(store, 3).hash_at, "");
}

// Somebody who can write the database can write the chain anew; a head kept elsewhere tells.
TEST(Audit, a_kept_head_shows_what_was_written_anew_or_cut_off) {
    const Home home;
    Store store = home.open();
    for (const char* detail : {"a", "b", "c"}) append(store, 1, 0, detail);
    const AuditHead kept = audit_head(store);
    change(store, "DELETE FROM audit_log WHERE id >= 2");
    append(store, 1, 0, "B");
    append(store, 1, 0, "c");
    const AuditChain chain = check_audit(store, kept.rows);
    EXPECT_EQ(chain.broken_row, 0);
    EXPECT_EQ(chain.head.rows, 3);
    EXPECT_NE(chain.hash_at, kept.hash);
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
    EXPECT_EQ(check_audit(store).broken_row, 0);
}

class ChangedAudit : public testing::TestWithParam<const char*> {};

TEST_P(ChangedAudit, shows_what_was_changed) {
    const Home home;
    Store store = home.open();
    for (const char* detail : {"a", "b", "c", "d"}) append(store, 1, 3, detail);
    EXPECT_EQ(check_audit(store).broken_row, 0);
    change(store, GetParam());
    const AuditChain chain = check_audit(store, 4);
    EXPECT_EQ(chain.broken_row, 2);
    EXPECT_EQ(chain.head.rows, 1);
    EXPECT_EQ(chain.hash_at, "");
}

// NULL is not 0: a decision of no turn is not one of turn 0.
TEST(Audit, shows_none_changed_to_0) {
    for (const char* column : {"agent_id", "turn_id"}) {
        const Home home;
        Store store = home.open();
        for (const char* detail : {"a", "b"}) append(store, 0, 0, detail);
        EXPECT_EQ(check_audit(store).broken_row, 0);
        change(store, std::string("UPDATE audit_log SET ") + column + " = 0 WHERE id = 2");
        EXPECT_EQ(check_audit(store).broken_row, 2) << column;
    }
}

// Where the schema was changed with the rows, NULL is not an empty text either.
TEST(Audit, shows_a_text_changed_to_null) {
    for (const char* column : {"agent_name", "actor", "detail", "user_id"}) {
        const Home home;
        Store store = home.open();
        in_transaction(store, [&] {
            append_audit(
                store,
                {.agent_name = {}, .action = {}, .decision = "allow", .actor = {}, .detail = {}});
        });
        EXPECT_EQ(check_audit(store).broken_row, 0);
        change(store, "CREATE TABLE changed AS SELECT * FROM audit_log");
        change(store, "DROP TABLE audit_log");
        change(store, "ALTER TABLE changed RENAME TO audit_log");
        EXPECT_EQ(check_audit(store).broken_row, 0);
        change(store, std::string("UPDATE audit_log SET ") + column + " = NULL");
        EXPECT_EQ(check_audit(store).broken_row, 1) << column;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Of, ChangedAudit,
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
