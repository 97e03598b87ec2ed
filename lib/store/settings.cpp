#include "store/settings.hpp"

#include "store/sqlite.hpp"

namespace chorus::store {

std::string find_setting(Store& store, std::string_view scope, std::string_view key) {
    return query_text(store, "SELECT value FROM settings WHERE scope = ? AND key = ?", scope, key);
}

void set_setting(Store& store, std::string_view scope, std::string_view key,
                 std::string_view value) {
    run(store, "INSERT OR REPLACE INTO settings (scope, key, value) VALUES (?, ?, ?)", scope, key,
        value);
}

void copy_settings(Store& store, AgentId from, AgentId to) {
    run(store,
        "INSERT OR REPLACE INTO settings (scope, key, value) SELECT 'agent/' || ?, key, value FROM "
        "settings WHERE scope = 'agent/' || ?",
        to, from);
}

}  // namespace chorus::store
