#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "measure.hpp"

namespace bench {
namespace {

// Words of many frequencies, the full-text index made in one go: a minute's work once, for all that
// reads it.
void add_searchable_messages(const fs::path& database, int count) {
    sql(database,
        "PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; BEGIN;"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
            std::to_string(count) +
            ") INSERT INTO messages (agent_id, thread_id, role, content, extra, timestamp) "
            "SELECT 1, 1, CASE i % 2 WHEN 1 THEN 'user' ELSE 'assistant' END, "
            "'message number ' || i || ' of usual length, about one hundred and eighty bytes of "
            "text as people and models write it to each other: w' || (i * 7919 % 101) || ' w' || "
            "(i * 104729 % 30011) || ' w' || (i * 1299709 % 99991), "
            "CASE i % 2 WHEN 1 THEN '{\"starts_turn\":true}' END, "
            "CAST(strftime('%s','now') AS INTEGER) * 1000 FROM n;"
            "INSERT INTO messages_fts (rowid, prompt, answer, arguments, output) "
            "SELECT id, prompt, answer, arguments, output FROM searchable;"
            "INSERT OR REPLACE INTO settings (scope, key, value) "
            "SELECT 'search', 'indexed', max(id) FROM messages;"
            "UPDATE agents SET last_clear_message = (SELECT max(id) FROM messages) - 200; COMMIT;"
            "PRAGMA wal_checkpoint(TRUNCATE);");
}

Words context(const Words& more) {
    Words words{bin + "/chorus-context"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// What `words` takes in one home beyond what it takes in the other, pair by pair.
double beyond(const Words& words, const std::string& home, const std::string& other, int count) {
    std::vector<double> differences;
    const auto in = [&](const std::string& name) {
        setenv("CHORUS_HOME", home_of(name).c_str(), 1);
        return run(words).wall_ms;
    };
    in(home);
    in(other);
    for (int i = 0; i < count; ++i) {
        const double here = in(home);
        differences.push_back(here - in(other));
    }
    return median(differences);
}

}  // namespace

void make_idle_home(const std::string& name, int agents) {
    new_home(name, "builtin/script");
    run({bin + "/chorus-run", "a", "say hello"});
    const fs::path home = home_of(name);
    for (int i = 2; i <= agents; ++i) {
        const fs::path directory = home / "agents" / ("a" + std::to_string(i));
        fs::create_directories(directory / "branches" / "main");
        fs::create_directories(directory / "sessions");
        fs::create_directories(directory / "workspace");
        fs::create_symlink("branches/main", directory / "current");
        for (const char* file : {"agent.json", "branches/main/session.md"})
            fs::copy_file(home / "agents" / "a" / file, directory / file);
    }
    sql(home / "chorus.db",
        "PRAGMA foreign_keys = OFF; BEGIN;"
        "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < " +
            std::to_string(agents) +
            ") INSERT INTO agents (id, name, generation, kind, parent_id, preset, dir, model, "
            "permissions, description, channel_id, status, created_at, destroyed_at, files_kept, "
            "last_clear_time, last_clear_message, rolling_window, turn_count, last_activity, "
            "newest_timestamp) SELECT i, 'a' || i, generation, kind, parent_id, preset, "
            "'agents/a' || i, model, permissions, description, channel_id, status, created_at, "
            "destroyed_at, files_kept, last_clear_time, last_clear_message, rolling_window, "
            "turn_count, last_activity, newest_timestamp FROM n JOIN agents WHERE id = 1;"
            "INSERT INTO threads (agent_id, thread_id, branch, parent_thread, branch_point, "
            "summary, window_start, created_at, last_activity) "
            "SELECT a.id, thread_id, branch, parent_thread, branch_point, "
            "summary, window_start, t.created_at, t.last_activity "
            "FROM agents a JOIN threads t ON t.agent_id = 1 WHERE a.id > 1;"
            "INSERT INTO messages (agent_id, thread_id, role, timestamp, content, extra) "
            "SELECT a.id, 1, m.role, m.timestamp, m.content, m.extra FROM agents a JOIN messages m "
            "ON m.agent_id = 1 WHERE a.id > 1 ORDER BY a.id, m.id;"
            "INSERT OR REPLACE INTO settings SELECT 'agent/' || a.id, s.key, s.value FROM agents a "
            "JOIN settings s ON s.scope = 'agent/1' WHERE a.id > 1;"
            "UPDATE threads SET window_start = (SELECT min(id) FROM messages WHERE "
            "messages.agent_id = threads.agent_id) WHERE agent_id > 1;"
            "UPDATE agents SET last_activity = last_activity - 7200000;"
            "UPDATE messages SET timestamp = timestamp - 7200000;"
            "UPDATE agents SET newest_timestamp = newest_timestamp - 7200000;"
            "COMMIT; PRAGMA wal_checkpoint(TRUNCATE);");
}

namespace {

void idle_agents() {
    make_idle_home("idle", 1'000);
    setenv("CHORUS_HOME", home_of("idle").c_str(), 1);
    report("idle-save of 1,000 idle agents, without summaries",
           run(context({"idle-save", "--all", "--idle-timeout", "1h", "--no-summary"})).wall_ms /
               1'000,
           "s", 5);
}

}  // namespace

void history(int count) {
    new_home("empty", "anthropic/bench");
    new_home("history", "anthropic/bench");
    add_searchable_messages(fs::path(home_of("history")) / "chorus.db", 1'000'000);
    report("window of 200 messages out of 1,000,000, beyond the start",
           beyond(context({"show", "a"}), "history", "empty", count), "ms", 5);
    setenv("CHORUS_HOME", home_of("history").c_str(), 1);
    const auto searched = [&](const char* what, const char* query) {
        report(what, run_many(context({"search", query}), count).wall_ms, "ms", 50);
    };
    searched("search in 1,000,000 messages, a rare word", "w98765*");
    searched("search in 1,000,000 messages, in each hundredth", "w77");
    searched("search in 1,000,000 messages, a word of all of them", "people");
    searched("search in 1,000,000 messages, words side by side", "\"each other\" number w5003*");
    idle_agents();
}

}  // namespace bench
