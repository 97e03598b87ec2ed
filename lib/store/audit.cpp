#include <unistd.h>

#include <array>

#include "base/hash.hpp"
#include "base/time.hpp"
#include "chat/dialect.hpp"
#include "store/columns.hpp"
#include "store/records.hpp"
#include "sys/clock.hpp"

namespace chorus::store {
namespace {

// The order of the columns in which a row is hashed.
constexpr std::array hashed_columns{0, 1, 3, 4, 7, 2, 5, 6, 8, 9};

constexpr Table audit_log{
    Source<AuditEntry>{"audit_log"},
    column("id", &AuditEntry::id),
    column("agent_id", in(&AuditEntry::row, &AuditRow::agent_id), NullIs{0}),
    column("agent_name", in(&AuditEntry::row, &AuditRow::agent_name)),
    column("timestamp", in(&AuditEntry::row, &AuditRow::timestamp)),
    column("turn_id", in(&AuditEntry::row, &AuditRow::turn_id), NullIs{0}),
    column("action_string", in(&AuditEntry::row, &AuditRow::action)),
    column("decision", in(&AuditEntry::row, &AuditRow::decision)),
    column("user_id", in(&AuditEntry::row, &AuditRow::user_id)),
    column("actor", in(&AuditEntry::row, &AuditRow::actor)),
    column("detail", in(&AuditEntry::row, &AuditRow::detail)),
    column("previous_hash", &AuditEntry::previous_hash),
    column("hash", &AuditEntry::hash),
};

// Nothing stands for NULL.
using Fields = std::vector<std::optional<std::string>>;

// Writes each field as "length:bytes,", and NULL as "-,", so that two different rows never have the
// same bytes.
std::string chained_hash(std::string bytes, const Fields& fields) {
    for (const auto& field : fields)
        bytes += field ? std::to_string(field->size()) + ":" + *field + "," : "-,";
    return base::sha256_hex(bytes);
}

std::optional<std::string> id_field(std::int64_t id) {
    return id != 0 ? std::optional(std::to_string(id)) : std::nullopt;
}

// The values as they are stored: here 0 is not NULL.
Fields stored_fields(const Statement& statement) {
    Fields fields;
    for (const int column : hashed_columns)
        fields.push_back(statement.is_null(column) ? std::nullopt
                                                   : std::optional(statement.text(column)));
    return fields;
}

// A condition such as "?2 = '' OR agent_name = ?2" would keep SQLite from using an index.
std::string matching(const AuditFilter& filter) {
    return std::string("WHERE id > ?1 AND ") +
           (filter.agent.empty() ? "?2 = ''" : "agent_name = ?2") +
           " AND timestamp >= ?3 AND timestamp < ?4 AND (?5 = '' OR decision = ?5) AND " +
           (filter.turn == 0 ? "?6 = 0" : "turn_id = ?6") + " ORDER BY id";
}

void bind(Statement& statement, const AuditFilter& filter) {
    statement.bind(filter.after, filter.agent, filter.since, filter.until, filter.decision,
                   filter.turn);
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
    const Fields fields{std::to_string(id),
                        id_field(row.agent_id),
                        std::to_string(row.timestamp),
                        id_field(row.turn_id),
                        std::to_string(row.user_id),
                        row.agent_name,
                        row.action,
                        row.decision,
                        row.actor,
                        row.detail};
    audit_log.insert(store, {id, row, head.hash, chained_hash(head.hash, fields)});
}

void append_audit(Store& store, const Agent& agent, AuditRow row) {
    row.agent_id = agent.id;
    row.agent_name = agent.name;
    if (row.timestamp == 0) row.timestamp = sys::now_ms();
    row.user_id = static_cast<std::int64_t>(getuid());
    append_audit(store, row);
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
    Statement statement = store.prepare(audit_log.select(matching(chosen)));
    bind(statement, chosen);
    std::int64_t left = filter.newest;  // rows may have been added since they were counted
    while (statement.step()) {
        const AuditEntry entry = audit_log.read(statement);
        if (!accepts(filter, entry.row.action)) continue;
        if (!use(entry) || --left == 0) return;
    }
}

AuditChain check_audit(Store& store, std::int64_t at) {
    Statement statement = store.prepare(audit_log.select("ORDER BY id"));
    AuditChain chain;
    for (std::int64_t id = 1; statement.step(); ++id) {
        const AuditEntry entry = audit_log.read(statement);
        if (entry.id != id || entry.previous_hash != chain.head.hash ||
            entry.hash != chained_hash(chain.head.hash, stored_fields(statement))) {
            chain.broken_row = id;
            return chain;
        }
        chain.head = {.rows = id, .hash = entry.hash};
        if (id == at) chain.hash_at = entry.hash;
    }
    return chain;
}

}  // namespace chorus::store
