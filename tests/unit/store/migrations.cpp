#include "store/migrations.hpp"

#include <map>
#include <vector>

#include "home.hpp"
#include "store/sqlite.hpp"
#include "store/threads.hpp"

namespace chorus::store {
namespace {

// What a program without our settings does to the file.
void edit(const Store::Paths& paths, const std::string& sql) {
    const std::string command = "sqlite3 '" + paths.database + "' \"" + sql + "\" >/dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

// What 0005 adds, taken away.
const std::string without_0005 = [] {
    std::string sql = "DROP INDEX tasks_ended; DROP INDEX inbox_delivered; ";
    for (const char* column :
         {"thread_id", "tool_call_id", "actor", "note", "on_exit", "goes_on", "depth", "rights"})
        sql += "ALTER TABLE tasks DROP COLUMN " + std::string(column) + "; ";
    return sql + "ALTER TABLE inbox DROP COLUMN depth; ALTER TABLE inbox DROP COLUMN rights; ";
}();

// And what came to the threads later.
const std::string without_0008 = [] {
    std::string sql = without_imports;
    for (const char* column : {"compaction", "window_floor", "cut_rolling_window",
                               "cut_max_messages", "cut_token_budget", "trimmed"})
        sql += "ALTER TABLE threads DROP COLUMN " + std::string(column) + "; ";
    return sql;
}();

std::map<std::string, std::string> bytes_of(const std::string& directory) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory))
        if (entry.is_regular_file()) files[entry.path().filename()] = read_bytes(entry.path());
    return files;
}

TEST(Migrations, lead_from_nothing_to_the_schema) {
    const Home home;
    const Store store = home.open();
    EXPECT_EQ(query_integer(store.handle(), "PRAGMA user_version"), schema_version());
    for (const char* table :
         {"agents", "threads", "turns", "steps", "messages", "tool_runs", "sessions", "prompts",
          "inbox", "tasks", "audit_log", "artifacts", "settings", "events", "messages_fts"})
        EXPECT_EQ(query_integer(store.handle(), "SELECT count(*) FROM " + std::string(table)), 0)
            << table;
}

// C-59
TEST(Migrations, make_the_table_of_messages_and_the_indexes_of_its_queries) {
    const Home home;
    const Store store = home.open();
    EXPECT_EQ(query_text(store.handle(),
                         "SELECT group_concat(name) FROM (SELECT name FROM "
                         "pragma_table_info('messages') WHERE name IN ('id', 'agent_id', "
                         "'thread_id', 'role', 'content', 'tool_calls', 'tool_call_id', "
                         "'timestamp') ORDER BY name)"),
              "agent_id,content,id,role,thread_id,timestamp,tool_call_id,tool_calls");
    EXPECT_EQ(query_text(store.handle(),
                         "SELECT group_concat(name) FROM (SELECT name FROM "
                         "pragma_table_info('messages') WHERE \"notnull\" ORDER BY name)"),
              "agent_id,content,role,thread_id,timestamp");
    EXPECT_EQ(query_integer(store.handle(),
                            "SELECT count(*) FROM sqlite_schema WHERE name = 'messages' AND sql "
                            "LIKE '%AUTOINCREMENT%'"),
              0);
    EXPECT_EQ(query_text(store.handle(),
                         "SELECT group_concat(name) FROM pragma_index_info('messages_thread')"),
              "agent_id,thread_id");
}

TEST(Migrations, make_strict_tables) {
    const Home home;
    const Store store = home.open();
    EXPECT_EQ(
        query_integer(store.handle(),
                      "SELECT count(*) FROM pragma_table_list WHERE type = 'table' AND NOT strict "
                      "AND name NOT LIKE 'sqlite_%' AND schema = 'main'"),
        0);
}

TEST(Migrations, are_made_once) {
    const Home home;
    {
        Store store = home.open();
        add_agent(store, "ada");
    }
    Store store = home.open();
    EXPECT_TRUE(find_agent(store, "ada"));
}

TEST(Migrations, leave_a_newer_database_untouched) {
    const Home home;
    { const Store store = home.open(); }
    edit(home.paths(), "PRAGMA user_version = 99");
    const auto before = bytes_of(home.directory());
    const base::Error error = error_of([&] { home.open(); });
    EXPECT_EQ(error.code(), base::ErrorCode::config_invalid);
    EXPECT_EQ(error.message(), "chorus.db: made by a newer chorus (schema 99, this one knows " +
                                   std::to_string(schema_version()) + ")");
    auto after = bytes_of(home.directory());
    // What SQLite makes to read a database with a log at all: an index of it, and an empty log.
    after.erase("chorus.db-shm");
    if (after["chorus.db-wal"].empty()) after.erase("chorus.db-wal");
    EXPECT_TRUE(before == after);
}

TEST(Migrations, leave_a_newer_database_without_a_log_untouched) {
    const Home home;
    { const Store store = home.open(); }
    edit(home.paths(), "PRAGMA journal_mode = DELETE; PRAGMA user_version = 99");
    const auto before = bytes_of(home.directory());
    EXPECT_EQ(error_of([&] { home.open(); }).code(), base::ErrorCode::config_invalid);
    EXPECT_TRUE(before == bytes_of(home.directory()));
}

TEST(Migrations, wait_for_a_person_where_they_are_told_to) {
    const Home home;
    { const Store store = home.open(); }
    edit(home.paths(), "DROP TABLE prefixes; ALTER TABLE inbox DROP COLUMN actor; " + without_0005 +
                           without_0008 + "PRAGMA user_version = 2");
    const std::string before = read_bytes(home.paths().database);
    const base::Error error = error_of([&] { Store::open(home.paths(), IfOld::refuse); });
    EXPECT_EQ(error.code(), base::ErrorCode::config_invalid);
    EXPECT_NE(error.message().find("schema 2"), std::string::npos);
    EXPECT_EQ(read_bytes(home.paths().database), before);
    { const Store store = home.open(); }
    EXPECT_NO_THROW(Store::open(home.paths(), IfOld::refuse));
}

// As schema 23 has it.
const std::string with_counter = [] {
    std::string sql =
        "DROP VIEW searchable; ALTER TABLE messages RENAME TO uncounted; "
        "CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, ";
    for (const char* column : {"agent_id", "thread_id", "turn_id", "role", "timestamp",
                               "tool_call_id", "tokens", "restored_from", "original_timestamp",
                               "compacted_into", "prefix_hash", "content", "tool_calls", "extra"})
        sql += std::string(column) + (std::string_view(column) == "extra" ? "); " : ", ");
    return sql +
           "INSERT INTO messages SELECT * FROM uncounted; DROP TABLE uncounted; "
           "UPDATE sqlite_sequence SET seq = 9 WHERE name = 'messages'; "
           "PRAGMA user_version = 23";
}();

TEST(Migrations, keep_the_messages_and_what_counts_them) {
    const Home home;
    AgentId agent = 0;
    {
        Store store = home.open();
        agent = add_agent(store, "ada");
        EXPECT_EQ(add_message(store, agent, user_message("kept", 1)), 1);
        EXPECT_EQ(add_message(store, agent, user_message("too", 2)), 2);
    }
    edit(home.paths(), with_counter);
    Store store = home.open();
    EXPECT_EQ(query_text(store.handle(), "SELECT group_concat(id || content) FROM messages"),
              "1kept,2too");
    EXPECT_EQ(query_integer(store.handle(),
                            "SELECT count(*) FROM sqlite_schema WHERE name IN ('searchable', "
                            "'messages_thread', 'messages_turn')"),
              3);
    EXPECT_EQ(add_message(store, agent, user_message("new", 3)), 10);
}

TEST(Migrations, find_what_stands_for_earlier_messages) {
    const Home home;
    AgentId agent = 0;
    {
        Store store = home.open();
        agent = add_agent(store, "ada");
        in_transaction(store, [&] {
            chat::Message message;
            message.starts_turn = message.is_compaction = true;
            insert_message(store, agent, 1, message);
            Thread cut = *find_thread(store, agent, 1);
            cut.window_start = 7;
            set_cut(store, cut);
        });
    }
    edit(home.paths(), without_0008 + "PRAGMA user_version = 7");
    Store store = home.open();
    const Thread thread = *find_thread(store, agent, 1);
    EXPECT_EQ(thread.compaction, 1);
    EXPECT_EQ(thread.window_floor, 7) << "what was cut before the summary stays out";
    EXPECT_EQ(thread.cut_limits.max_messages, -1);
}

TEST(Migrations, refuse_a_file_that_is_none_of_ours) {
    const Home home;
    edit(home.paths(), "CREATE TABLE recipes (name)");
    const std::string before = read_bytes(home.paths().database);
    EXPECT_EQ(error_of([&] { home.open(); }).code(), base::ErrorCode::config_invalid);
    EXPECT_EQ(read_bytes(home.paths().database), before);
}

TEST(Migrations, give_a_restored_backup_its_log_again) {
    const Home home;
    {
        Store store = home.open();
        add_agent(store, "ada");
    }
    edit(home.paths(), "PRAGMA journal_mode = DELETE");
    Store store = home.open();
    EXPECT_EQ(query_text(store.handle(), "PRAGMA journal_mode"), "wal");
    EXPECT_TRUE(find_agent(store, "ada"));
}

TEST(Migrations, of_many_processes_at_once_are_made_by_one) {
    for (int round = 0; round < 10; ++round) {
        const Home home;
        std::vector<pid_t> children;
        for (int i = 0; i < 8; ++i) children.push_back(start_child([&] { home.open(); }));
        for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
    }
}

TEST(Migrations, go_on_after_a_crash_between_file_and_schema) {
    const Home home;
    std::ofstream(home.paths().database).flush();
    Store store = Store::open_existing(home.paths());
    EXPECT_EQ(add_agent(store, "ada"), 1);
}

}  // namespace
}  // namespace chorus::store
