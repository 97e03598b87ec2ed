#include <initializer_list>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "chat/dialect.hpp"
#include "store/records.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

// Writes each field as "length:bytes,", and NULL as "-,", so that two different rows never have the
// same bytes.
void append_field(std::string& out, std::string_view field) {
    out += std::to_string(field.size());
    out += ':';
    out += field;
    out += ',';
}

std::string id_field(std::int64_t id) {
    std::string field;
    if (id != 0) append_field(field, std::to_string(id));
    return id != 0 ? field : "-,";
}

std::string chained_hash(std::string_view previous, std::int64_t id, const AuditRow& row) {
    std::string bytes(previous);
    append_field(bytes, std::to_string(id));
    bytes += id_field(row.agent_id);
    append_field(bytes, std::to_string(row.timestamp));
    bytes += id_field(row.turn_id);
    append_field(bytes, std::to_string(row.user_id));
    for (const std::string* text :
         {&row.agent_name, &row.action, &row.decision, &row.actor, &row.detail})
        append_field(bytes, *text);
    return base::sha256_hex(bytes);
}

// The same for a row of select(), from its column values: here 0 is not NULL.
std::string chained_hash(std::string_view previous, const Statement& statement) {
    std::string bytes(previous);
    for (const int column : {0, 1, 3, 4, 7, 2, 5, 6, 8, 9}) {
        if (statement.is_null(column))
            bytes += "-,";
        else
            append_field(bytes, statement.view(column));
    }
    return base::sha256_hex(bytes);
}

std::string select(std::string_view rest) {
    return std::string(
               "SELECT id, agent_id, agent_name, timestamp, turn_id, action_string, decision, "
               "user_id, actor, detail, previous_hash, hash FROM audit_log ")
        .append(rest);
}

AuditEntry read(const Statement& statement) {
    Row row(statement);
    AuditEntry entry;
    entry.id = row.integer();
    entry.row.agent_id = row.integer();
    entry.row.agent_name = row.text();
    entry.row.timestamp = row.integer();
    entry.row.turn_id = row.integer();
    entry.row.action = row.text();
    entry.row.decision = row.text();
    entry.row.user_id = row.integer();
    entry.row.actor = row.text();
    entry.row.detail = row.text();
    entry.previous_hash = row.text();
    entry.hash = row.text();
    return entry;
}

// A condition such as "?2 = '' OR agent_name = ?2" would keep SQLite from using an index.
std::string matching(const AuditFilter& filter) {
    return std::string("WHERE id > ?1 AND ") +
           (filter.agent.empty() ? "?2 = ''" : "agent_name = ?2") +
           " AND timestamp >= ?3 AND timestamp < ?4 AND (?5 = '' OR decision = ?5) AND " +
           (filter.turn == 0 ? "?6 = 0" : "turn_id = ?6") + " ORDER BY id";
}

void bind(Statement& statement, const AuditFilter& filter) {
    statement.bind(filter.after)
        .bind(filter.agent)
        .bind(filter.since)
        .bind(filter.until)
        .bind(filter.decision)
        .bind(filter.turn);
}

bool accepts(const AuditFilter& filter, std::string_view action) {
    return !filter.action || filter.action(action);
}

// Returns the id before the first of the newest matching rows. Counts from the end, so no rows are
// kept in memory.
std::int64_t before_newest(Store& store, const AuditFilter& filter) {
    Statement statement =
        store.prepare("SELECT id, action_string FROM audit_log " + matching(filter) + " DESC");
    bind(statement, filter);
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t found = 0; found < filter.newest && statement.step();) {
        if (!accepts(filter, statement.view(1))) continue;
        first = statement.integer(0);
        ++found;
    }
    return first - 1;
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

std::string audit_json(const AuditEntry& entry) {
    const AuditRow& row = entry.row;
    chat::JsonText out = chat::open_object("audit");
    out.key("id").number(entry.id);
    write_text(out, "created_at", base::iso8601(row.timestamp));
    write_text(out, "agent", row.agent_name);
    write_number(out, "agent_id", row.agent_id, 0);
    write_number(out, "turn_id", row.turn_id, 0);
    write_text(out, "action", row.action);
    write_text(out, "decision", row.decision);
    out.key("user_id").number(row.user_id);
    write_text(out, "actor", row.actor);
    write_text(out, "detail", row.detail);
    write_text(out, "previous_hash", entry.previous_hash);
    write_text(out, "hash", entry.hash);
    return out.end_object().take();
}

void for_each_audit(Store& store, const AuditFilter& filter,
                    const std::function<bool(const AuditEntry&)>& use) {
    AuditFilter chosen = filter;
    if (filter.newest > 0) chosen.after = before_newest(store, filter);
    Statement statement = store.prepare(select(matching(chosen)));
    bind(statement, chosen);
    std::int64_t left = filter.newest;  // rows may have been added since they were counted
    while (statement.step()) {
        const AuditEntry entry = read(statement);
        if (!accepts(filter, entry.row.action)) continue;
        if (!use(entry) || --left == 0) return;
    }
}

AuditChain check_audit(Store& store, std::int64_t at) {
    Statement statement = store.prepare(select("ORDER BY id"));
    AuditChain chain;
    for (std::int64_t id = 1; statement.step(); ++id) {
        const AuditEntry entry = read(statement);
        if (entry.id != id || entry.previous_hash != chain.head.hash ||
            entry.hash != chained_hash(chain.head.hash, statement)) {
            chain.broken_row = id;
            return chain;
        }
        chain.head = {.rows = id, .hash = entry.hash};
        if (id == at) chain.hash_at = entry.hash;
    }
    return chain;
}

}  // namespace chorus::store
