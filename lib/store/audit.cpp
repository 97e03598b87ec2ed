#include <initializer_list>

#include "base/hash.hpp"
#include "store/records.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

// Each field as "length:bytes,": no two rows are written the same way.
void append_field(std::string& out, std::string_view field) {
    out += std::to_string(field.size());
    out += ':';
    out += field;
    out += ',';
}

std::string chained_hash(std::string_view previous, std::int64_t id, const AuditRow& row) {
    std::string bytes(previous);
    for (const std::int64_t number : {id, row.agent_id, row.timestamp, row.turn_id, row.user_id})
        append_field(bytes, std::to_string(number));
    for (const std::string* text :
         {&row.agent_name, &row.action, &row.decision, &row.actor, &row.detail})
        append_field(bytes, *text);
    return base::sha256_hex(bytes);
}

std::string select(std::string_view rest) {
    return std::string(
               "SELECT agent_id, agent_name, timestamp, turn_id, action_string, decision, user_id, "
               "actor, "
               "detail, id, previous_hash, hash FROM audit_log ")
        .append(rest);
}
constexpr int id_column = 9;
constexpr int previous_hash_column = 10;
constexpr int hash_column = 11;

AuditRow read(const Statement& statement) {
    Row row(statement);
    AuditRow audit;
    audit.agent_id = row.integer();
    audit.agent_name = row.text();
    audit.timestamp = row.integer();
    audit.turn_id = row.integer();
    audit.action = row.text();
    audit.decision = row.text();
    audit.user_id = row.integer();
    audit.actor = row.text();
    audit.detail = row.text();
    return audit;
}

}  // namespace

void append_audit(Store& store, const AuditRow& row) {
    const AuditHead head = audit_head(store);
    const std::int64_t id = head.rows + 1;
    store
        .prepare(
            "INSERT INTO audit_log (id, agent_id, agent_name, timestamp, turn_id, action_string, "
            "decision, "
            "user_id, actor, detail, previous_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
            "?)")
        .bind(id)
        .bind_or_null(row.agent_id)
        .bind(row.agent_name)
        .bind(row.timestamp)
        .bind_or_null(row.turn_id)
        .bind(row.action)
        .bind(row.decision)
        .bind(row.user_id)
        .bind(row.actor)
        .bind(row.detail)
        .bind(head.hash)
        .bind(chained_hash(head.hash, id, row))
        .run();
}

AuditHead audit_head(Store& store) {
    Statement statement = store.prepare("SELECT id, hash FROM audit_log ORDER BY id DESC LIMIT 1");
    if (!statement.step()) return {};
    return {.rows = statement.integer(0), .hash = statement.text(1)};
}

std::vector<AuditRow> load_audit(Store& store, AgentId agent, TurnId turn) {
    Statement statement =
        store.prepare(turn == 0 ? select("WHERE agent_id = ? ORDER BY id")
                                : select("WHERE agent_id = ? AND turn_id = ? ORDER BY id"));
    statement.bind(agent);
    if (turn != 0) statement.bind(turn);
    std::vector<AuditRow> rows;
    while (statement.step()) rows.push_back(read(statement));
    return rows;
}

std::int64_t find_audit_break(Store& store) {
    Statement statement = store.prepare(select("ORDER BY id"));
    std::string previous;
    for (std::int64_t id = 1; statement.step(); ++id) {
        const std::string hash = chained_hash(previous, id, read(statement));
        if (statement.integer(id_column) != id ||
            statement.view(previous_hash_column) != previous || statement.view(hash_column) != hash)
            return id;
        previous = hash;
    }
    return 0;
}

}  // namespace chorus::store
