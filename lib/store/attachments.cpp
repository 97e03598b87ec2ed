#include "store/attachments.hpp"

#include "store/sqlite.hpp"

namespace chorus::store {

void keep_attachment(Store& store, AgentId agent, std::string_view sha256, std::string_view bytes) {
    run(store,
        "INSERT INTO attachments (agent_id, sha256, data) VALUES (?, ?, CAST(? AS BLOB)) "
        "ON CONFLICT DO NOTHING",
        agent, sha256, bytes);
}

std::optional<std::string> find_attachment(Store& store, AgentId agent, std::string_view sha256) {
    Statement row =
        statement(store, "SELECT data FROM attachments WHERE agent_id = ? AND sha256 = ?");
    if (!row.bind(agent, sha256).step()) return std::nullopt;
    return row.text(0);
}

}  // namespace chorus::store
