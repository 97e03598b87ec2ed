#include "store/settings.hpp"

#include "store/sqlite.hpp"

namespace chorus::store {

std::string find_setting(Store& store, std::string_view scope, std::string_view key) {
    Statement statement = store.prepare("SELECT value FROM settings WHERE scope = ? AND key = ?");
    return statement.bind(scope).bind(key).step() ? statement.text(0) : std::string();
}

void set_setting(Store& store, std::string_view scope, std::string_view key,
                 std::string_view value) {
    store.prepare("INSERT OR REPLACE INTO settings (scope, key, value) VALUES (?, ?, ?)")
        .bind(scope)
        .bind(key)
        .bind(value)
        .run();
}

}  // namespace chorus::store
