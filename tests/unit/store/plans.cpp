// What is asked with every command is found by an index, however long the log and the list are.
#include <sqlite3.h>

#include "home.hpp"
#include "store/prompts.hpp"
#include "store/records.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

// The statements about that table which the store has prepared so far.
std::vector<std::string> prepared_about(Store& store, const std::string& table) {
    std::vector<std::string> found;
    for (sqlite3_stmt* one = sqlite3_next_stmt(store.handle(), nullptr); one != nullptr;
         one = sqlite3_next_stmt(store.handle(), one))
        if (const std::string sql = sqlite3_sql(one); sql.find(table) != std::string::npos)
            found.push_back(sql);
    return found;
}

std::string plan_of(Store& store, const std::string& sql) {
    const Prepared plan = prepare(store.handle(), "EXPLAIN QUERY PLAN " + sql);
    std::string text;
    while (sqlite3_step(plan.get()) == SQLITE_ROW)
        text +=
            std::string(reinterpret_cast<const char*>(sqlite3_column_text(plan.get(), 3))) + "\n";
    return text;
}

void expect_by_index(Store& store, const std::string& table) {
    const auto all = prepared_about(store, table);
    EXPECT_FALSE(all.empty());
    for (const std::string& sql : all) {
        const std::string plan = plan_of(store, sql);
        EXPECT_EQ(plan.find("SCAN " + table), std::string::npos) << sql << "\n" << plan;
        EXPECT_EQ(plan.find("USE TEMP B-TREE"), std::string::npos) << sql << "\n" << plan;
        EXPECT_NE(plan.find("USING INDEX"), std::string::npos) << sql << "\n" << plan;
    }
}

TEST(Plans, audit_rows_of_an_agent_and_of_a_turn) {
    const Home home;
    Store store = home.open();
    const auto none = [](const AuditEntry&) { return true; };
    AuditFilter filter;
    filter.agent = "ada";
    for_each_audit(store, filter, none);
    filter.newest = 3;
    for_each_audit(store, filter, none);
    filter.agent.clear();
    filter.turn = 5;
    for_each_audit(store, filter, none);
    expect_by_index(store, "audit_log");
}

TEST(Plans, questions_that_wait) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    pending_prompts(store);
    pending_prompts(store, agent);
    has_expired_prompts(store, 5);
    in_transaction(store, [&] {
        expire_prompts(store, 5);
        cancel_pending_prompts(store, agent, 5);
    });
    tally_of(store, agent, 5);
    expect_by_index(store, "prompts");
}

}  // namespace
}  // namespace chorus::store
