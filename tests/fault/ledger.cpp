#include "fault/ledger.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "fault/command.hpp"

namespace fault {
namespace {

namespace fs = std::filesystem;

std::string shown(const std::string& text) {
    if (text == no_file) return "no file";
    return "'" + text.substr(0, 60) + "' (" + std::to_string(text.size()) + " bytes)";
}

std::string content_of(const std::string& path) {
    return fs::exists(fs::symlink_status(path)) ? read_text(path) : no_file;
}

std::int64_t number_of(Database& database, const std::string& sql,
                       const std::vector<std::string>& values = {}) {
    const std::string value = database.value(sql, values);
    return value.empty() ? 0 : std::stoll(value);
}

Finished git(const std::string& workspace, Words words) {
    words.insert(words.begin(), {"git", "-c", "safe.directory=*", "-C", workspace});
    return run(words, {{"HOME", "/nonexistent"}, {"GIT_CONFIG_NOSYSTEM", "1"}});
}

void check_repository(const std::string& workspace, std::vector<std::string>& found) {
    const Finished checked = git(workspace, {"fsck", "--full", "--strict", "--no-dangling"});
    if (checked.status != 0)
        found.push_back(workspace + ": git fsck: " + checked.out + checked.err);
    const Finished status = git(workspace, {"status", "--porcelain"});
    if (status.status != 0) found.push_back(workspace + ": git status: " + status.err);
    const Finished head = git(workspace, {"rev-parse", "--verify", "HEAD^{commit}"});
    if (head.status != 0) found.push_back(workspace + ": no commit: " + head.err);
}

void expect_rows(Database& database, const std::string& what, const std::string& sql,
                 std::vector<std::string>& found) {
    for (const auto& row : database.rows(sql)) {
        std::string text;
        for (const std::string& value : row) text += " " + value;
        found.push_back(what + ":" + text);
    }
}

}  // namespace

void Ledger::asked(const std::string& agent, const std::string& token) {
    prompts_[token].agent = agent;
}
void Ledger::accepted(const std::string& token) {
    prompts_.at(token).accepted = true;
}
void Ledger::completed(const std::string& token) {
    prompts_.at(token).accepted = prompts_.at(token).completed = true;
}
void Ledger::answered(std::int64_t message, const std::string& text) {
    answers_[message] = text;
}
void Ledger::told(const std::string& tool_call_id) {
    told_.push_back(tool_call_id);
}
void Ledger::will_write(const std::string& path, const std::vector<std::string>& states) {
    files_[path] = {states, 0};
}
void Ledger::wrote(const std::string& path, std::size_t state) {
    std::size_t& at_least = files_.at(path).at_least;
    at_least = std::max(at_least, state);
}
void Ledger::committed(const std::string& agent, const std::string& id) {
    commits_[agent].push_back(id);
}
void Ledger::will_be_born(const std::string& agent, int sessions) {
    births_.try_emplace(agent, Birth{sessions, false});
}
void Ledger::born(const std::string& agent) {
    births_.at(agent).reported = true;
}
std::vector<std::string> Ledger::births() const {
    std::vector<std::string> names;
    for (const auto& [name, birth] : births_) names.push_back(name);
    return names;
}

int Ledger::message_count() const {
    const auto is_accepted = [](const auto& entry) { return entry.second.accepted; };
    return static_cast<int>(std::count_if(prompts_.begin(), prompts_.end(), is_accepted)) +
           static_cast<int>(answers_.size() + told_.size());
}
int Ledger::commit_count() const {
    std::size_t count = 0;
    for (const auto& [agent, ids] : commits_) count += ids.size();
    return static_cast<int>(count);
}

void Ledger::check_messages(Database& database, Found& found) const {
    for (const auto& [token, prompt] : prompts_) {
        const auto count =
            number_of(database,
                      "SELECT count(*) FROM messages m JOIN agents a ON a.id = m.agent_id "
                      "WHERE m.role = 'user' AND a.name = ? AND m.content LIKE '%' || ? || ' %'",
                      {prompt.agent, token});
        if (count > 1 || (prompt.accepted && count < 1))
            found.push_back("the prompt " + token + (prompt.accepted ? " (accepted)" : "") +
                            " is there " + std::to_string(count) + " times");
        if (!prompt.completed) continue;
        const std::string state = database.value(
            "SELECT t.state || (t.ended_at IS NOT NULL) FROM turns t JOIN messages m ON "
            "m.turn_id = t.id WHERE m.role = 'user' AND m.content LIKE '%' || ? || ' %'",
            {token});
        if (state != "idle1")
            found.push_back("the turn of " + token + ", reported as completed, is " + state);
    }
    for (const auto& [id, text] : answers_) {
        const std::string stored = database.value(
            "SELECT role || ':' || content FROM messages WHERE id = " + std::to_string(id));
        if (stored != "assistant:" + text)
            found.push_back("the answer " + std::to_string(id) + ", reported as " + shown(text) +
                            ", is " + shown(stored));
    }
    for (const std::string& id : told_)
        if (number_of(database,
                      "SELECT count(*) FROM messages WHERE role = 'tool_result' AND "
                      "tool_call_id = ?",
                      {id}) != 1)
            found.push_back("the result of " + id + ", told to the model, is not there once");
}

void Ledger::check_turns(Database& database, When when, Found& found) const {
    expect_rows(database, "turn numbers have a gap",
                "SELECT agent_id, thread_id, count(*), max(turn_number) FROM turns "
                "GROUP BY 1, 2 HAVING count(*) <> max(turn_number) OR min(turn_number) <> 1",
                found);
    expect_rows(database, "an open turn is not the newest",
                "SELECT t.id FROM turns t WHERE ended_at IS NULL AND EXISTS (SELECT 1 FROM turns n "
                "WHERE n.agent_id = t.agent_id AND n.thread_id = t.thread_id AND "
                "n.turn_number > t.turn_number)",
                found);
    expect_rows(database, "a result without a call",
                "SELECT r.tool_call_id FROM messages r WHERE r.role = 'tool_result' AND NOT EXISTS "
                "(SELECT 1 FROM messages m, json_each(m.tool_calls) c WHERE m.turn_id = r.turn_id "
                "AND c.value ->> 'id' = r.tool_call_id)",
                found);
    // while its turn is open a call may wait for its result
    const std::string wrong = when == When::settled ? "<> 1" : "> 1";
    expect_rows(database, "a call's results are not one",
                "SELECT c.value ->> 'id' FROM messages m, json_each(m.tool_calls) c WHERE "
                "(SELECT count(*) FROM messages r WHERE r.role = 'tool_result' AND "
                "r.turn_id = m.turn_id AND r.tool_call_id = c.value ->> 'id') " +
                    wrong,
                found);
    if (when != When::settled) return;
    expect_rows(database, "a turn is counted wrongly",
                "SELECT a.name, a.turn_count FROM agents a WHERE a.turn_count <> (SELECT count(*) "
                "FROM turns t WHERE t.agent_id = a.id)",
                found);
    expect_rows(database, "a turn is left at work",
                "SELECT id, state FROM turns WHERE ended_at IS NULL", found);
}

void Ledger::check_database(Database& database, When when, Found& found) const {
    if (const std::string said = database.value("PRAGMA integrity_check"); said != "ok")
        found.push_back("integrity_check: " + said);
    expect_rows(database, "foreign_key_check", "PRAGMA foreign_key_check", found);
    check_messages(database, found);
    check_turns(database, when, found);
}

void Ledger::check_files(Found& found) const {
    for (const auto& [path, file] : files_) {
        const std::string content = content_of(path);
        const auto first = file.states.begin() + static_cast<std::ptrdiff_t>(file.at_least);
        if (std::find(first, file.states.end(), content) == file.states.end())
            found.push_back(path + ": is " + shown(content) + ", should at least be " +
                            shown(*first));
    }
}

void Ledger::check_transcript(Database& database, const std::string& home, const std::string& agent,
                              Found& found) const {
    const std::string path = home + "/agents/" + agent + "/branches/main/session.md";
    const std::string text = content_of(path);
    std::size_t at = 0;
    for (const auto& row :
         database.rows("SELECT m.id FROM messages m JOIN agents a ON a.id = m.agent_id WHERE "
                       "a.name = ? AND a.status = 'active' AND m.thread_id = 1 ORDER BY m.id",
                       {agent})) {
        const std::string mark = "<!-- message " + row.front() + " ";
        const std::size_t next = text.find(mark, at);
        if (next == std::string::npos || text.find(mark, next + 1) != std::string::npos) {
            found.push_back(path + ": message " + row.front() + " is not in it once, in order");
            return;
        }
        at = next;
    }
}

void Ledger::check_directory(const std::string& home, const std::string& agent,
                             Found& found) const {
    const std::string directory = home + "/agents/" + agent;
    const auto configuration =
        nlohmann::json::parse(content_of(directory + "/agent.json"), nullptr, false);
    if (!configuration.is_object() || configuration.value("name", "") != agent ||
        !configuration.contains("system_prompt"))
        found.push_back(directory + "/agent.json: is " +
                        shown(content_of(directory + "/agent.json")));
    std::error_code error;
    if (fs::read_symlink(directory + "/current", error) != "branches/main")
        found.push_back(directory + "/current: does not lead to branches/main");
    for (const char* part : {"docs", "sessions", "branches/main", "workspace/.git"})
        if (!fs::is_directory(directory + "/" + part))
            found.push_back(directory + "/" + part + ": is not there");
    if (content_of(directory + "/docs/README.md").size() < 2)
        found.push_back(directory + "/docs/README.md: is empty or not there");
    if (content_of(directory + "/branches/main/session.md").find("Agent " + agent) ==
        std::string::npos)
        found.push_back(directory + "/branches/main/session.md: has no welcome");
    check_repository(directory + "/workspace", found);
}

void Ledger::check_agents(Database& database, const std::string& home, When when,
                          Found& found) const {
    const bool settled = when == When::settled;
    for (const auto& row : database.rows("SELECT name, status FROM agents")) {
        if (row[1] == "creating" && settled) found.push_back(row[0] + ": is still being made");
        if (row[1] == "active") check_directory(home, row[0], found);
        if (row[1] == "active" && settled) check_transcript(database, home, row[0], found);
    }
    for (const auto& [agent, birth] : births_) {
        const std::string status = database.value(
            "SELECT status FROM agents WHERE name = ? ORDER BY id DESC LIMIT 1", {agent});
        if (birth.reported && status != "active")
            found.push_back(agent + ": was reported as made, and is '" + status + "'");
        if (status != "active") continue;
        const auto sessions =
            number_of(database,
                      "SELECT count(*) FROM sessions s JOIN agents a ON a.id = s.agent_id "
                      "WHERE a.name = ?",
                      {agent});
        if (sessions != birth.sessions)
            found.push_back(agent + ": has " + std::to_string(sessions) + " of " +
                            std::to_string(birth.sessions) + " sessions");
    }
    for (const auto& [agent, ids] : commits_) {
        const std::string workspace = home + "/agents/" + agent + "/workspace";
        for (const std::string& id : ids)
            if (git(workspace, {"merge-base", "--is-ancestor", id, "HEAD"}).status != 0)
                found.push_back(workspace + ": the commit " + id + ", reported, is not in HEAD");
    }
    if (!settled) return;
    for (const auto& entry : fs::directory_iterator(home + "/agents")) {
        const std::string name = entry.path().filename();
        if (name == stranger_) continue;
        if (number_of(database, "SELECT count(*) FROM agents WHERE name = ? AND status = 'active'",
                      {name}) != 1)
            found.push_back(entry.path().string() + ": belongs to no agent");
    }
}

std::vector<std::string> Ledger::faults(const std::string& home, When when) const {
    Found found;
    try {
        Database database(home + "/chorus.db");
        check_database(database, when, found);
        check_agents(database, home, when, found);
    } catch (const std::exception& error) {
        found.push_back(std::string("the database: ") + error.what());
    }
    check_files(found);
    return found;
}

}  // namespace fault
