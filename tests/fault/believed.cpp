#include "fault/believed.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "fault/database.hpp"

namespace fault {
namespace {

// Of the newest agent of that name.
const std::string agent_id = "(SELECT max(id) FROM agents WHERE name = ?)";

// The message of a prompt; what a task says of itself stands behind it.
const std::string of_prompt =
    " FROM messages m LEFT JOIN turns t ON t.id = m.turn_id WHERE m.role = 'user' AND m.agent_id "
    "= " +
    agent_id +
    " AND m.thread_id = ? AND replace(m.content, char(10), ' ') || ' ' GLOB '[swa][aos]*[ykr] ' || "
    "? "
    "|| ' *'";

Standing standing_of(const std::string& state, bool has_ended, bool has_pending, bool has_decided) {
    if (state == "idle") return Standing::ended;
    if (has_ended || state != "prompt") return Standing::cut;
    if (has_pending) return Standing::asks;
    // a retry may have taken the decisions before it was killed
    return has_decided ? Standing::decided : Standing::cut;
}

int number_in(const std::string& prompt) {
    Numbers numbers;
    numbers.add(prompt);
    return numbers.found().empty() ? 0 : numbers.found().back();
}

void add_rows(Database& database, const std::string& what, const std::string& sql,
              std::vector<std::string>& faults) {
    for (const auto& row : database.rows(sql)) {
        std::string text = what + ":";
        for (const std::string& value : row) text += " " + value;
        faults.push_back(text);
    }
}

}  // namespace

void end(Thread& thread) {
    thread.standing = Standing::ended;
    if (thread.is_cleared) std::erase(thread.window, thread.turn);
    thread.is_cleared = false;
}

void reopen(Thread& thread) {
    if (std::count(thread.window.begin(), thread.window.end(), thread.turn) != 0) return;
    thread.window.push_back(thread.turn);
    thread.is_cleared = true;
}

Window sent_by(const Thread& thread) {
    if (thread.is_fresh) return Window{thread.turn};
    return thread.window.empty() ? Window{thread.turn} : thread.window;
}

bool waits(const Thread& thread) {
    return thread.standing == Standing::asks || thread.standing == Standing::decided;
}

bool waits(const std::map<int, Thread>& threads) {
    return std::any_of(threads.begin(), threads.end(),
                       [](const auto& entry) { return waits(entry.second); });
}

void Numbers::add(const std::string& text) {
    std::istringstream words(text);
    std::string first;
    int number = 0;
    words >> first;
    if (first == "say" || first == "work" || first == "ask") {
        if (words >> number) found_.push_back(number);
        return;
    }
    const std::string head = "Summary of";
    const std::size_t at = text.find(head);
    if (text.rfind("<earlier-conversation>", 0) != 0 || at == std::string::npos) return;
    std::istringstream summed(text.substr(at + head.size()));
    while (summed >> number) found_.push_back(-number);
}

Window window_of(const Request& request) {
    Numbers numbers;
    for (const Block& block : request.blocks)
        if (block.role == "user" && block.type == "text") numbers.add(block.text);
    return numbers.found();
}

std::string text_of(const Window& window) {
    std::string text = "[";
    for (const int number : window) text += (text.size() > 1 ? " " : "") + std::to_string(number);
    return text + "]";
}

std::string text_of(const std::map<int, Thread>& threads) {
    std::string text;
    for (const auto& [number, thread] : threads) {
        const char* standing = thread.standing == Standing::ended  ? ""
                               : thread.standing == Standing::cut  ? " cut at "
                               : thread.standing == Standing::asks ? " asks in "
                                                                   : " decided in ";
        text += " " + std::to_string(number) + text_of(thread.window);
        if (*standing != '\0') text += standing + std::to_string(thread.turn);
    }
    return text;
}

std::map<int, Thread> Observer::threads(const std::string& agent) const {
    std::map<int, Thread> threads;
    Database database(this->database());
    for (const auto& row : database.rows(
             "SELECT t.thread_id, n.state, n.ended_at, (SELECT content FROM messages m WHERE "
             "m.turn_id = n.id AND m.role = 'user' ORDER BY m.id LIMIT 1), "
             // rewound, or a session is restored behind it
             "NOT EXISTS (SELECT 1 FROM messages m WHERE m.turn_id = n.id AND m.compacted_into "
             "IS NULL) OR EXISTS (SELECT 1 FROM messages m WHERE m.agent_id = t.agent_id AND "
             "m.thread_id = t.thread_id AND m.restored_from IS NOT NULL AND NOT (m.extra ->> "
             "'compaction' IS NOT NULL AND m.restored_from GLOB 'import:*') AND m.id > (SELECT "
             "max(id) "
             "FROM messages o WHERE o.turn_id = n.id)), EXISTS (SELECT 1 FROM prompts p WHERE "
             "p.turn_id = n.id AND p.state = 'pending'), EXISTS (SELECT 1 FROM prompts p WHERE "
             "p.turn_id = n.id AND p.state IN ('approved', 'denied', 'answered') AND "
             "p.consumed_at IS NULL) FROM threads t LEFT "
             "JOIN turns n ON n.agent_id = t.agent_id AND n.thread_id = t.thread_id AND "
             "n.turn_number = (SELECT max(turn_number) FROM turns o WHERE o.agent_id = t.agent_id "
             "AND o.thread_id = t.thread_id) WHERE t.agent_id = " +
                 agent_id,
             {agent})) {
        Thread& thread = threads[std::stoi(row[0])];
        if (!row[1].empty() && row[4] == "0")
            thread.standing = standing_of(row[1], !row[2].empty(), row[5] == "1", row[6] == "1");
        thread.turn = number_in(row[3]);
        const Finished shown =
            run({bin_ + "/chorus-context", "show", agent, "-t", row[0], "--json"}, variables_);
        const Json window = Json::parse(shown.out, nullptr, false);
        if (shown.status != 0 || !window.is_object())
            throw std::runtime_error("chorus-context show: " + shown.out + shown.err);
        Numbers numbers;
        for (const Json& message : window["messages"])
            if (message.value("role", "") == "user") numbers.add(message.value("content", ""));
        thread.window = numbers.found();
    }
    return threads;
}

std::string Observer::message(const std::string& agent, int thread, int number) const {
    return Database(database())
        .value("SELECT max(m.id)" + of_prompt,
               {agent, std::to_string(thread), std::to_string(number)});
}

bool Observer::has_turn(const std::string& message) const {
    return !Database(database())
                .value("SELECT coalesce(m.turn_id, o.turn_id) FROM messages m LEFT JOIN messages o "
                       "ON m.restored_from = 'message ' || o.id WHERE m.id = ?",
                       {message})
                .empty();
}

bool Observer::has_ended(const std::string& agent, int thread, int number) const {
    return !Database(database())
                .value("SELECT t.ended_at" + of_prompt + " AND t.ended_at IS NOT NULL",
                       {agent, std::to_string(thread), std::to_string(number)})
                .empty();
}

std::vector<std::string> Observer::pending(const std::string& agent, int thread) const {
    std::vector<std::string> ids;
    for (const auto& row :
         Database(database())
             .rows("SELECT p.id FROM prompts p JOIN turns t ON t.id = p.turn_id WHERE p.state = "
                   "'pending' AND t.agent_id = " +
                       agent_id + " AND t.thread_id = ?",
                   {agent, std::to_string(thread)}))
        ids.push_back(row[0]);
    return ids;
}

int Observer::count(const std::string& agent, const std::string& line) const {
    int count = 0;
    for (const char* file : {"/workspace/count.txt", "/workspace/log.txt"}) {
        std::istringstream lines(read_text(home_ + "/agents/" + agent + file));
        for (std::string each; std::getline(lines, each);) count += each == line ? 1 : 0;
    }
    return count;
}

std::vector<std::string> Observer::sessions(const std::string& agent) const {
    std::vector<std::string> ids;
    for (const auto& row : Database(database())
                               .rows("SELECT id FROM sessions WHERE agent_id = " + agent_id +
                                         " ORDER BY saved_at, rowid",
                                     {agent}))
        ids.push_back(row[0]);
    return ids;
}

std::vector<std::string> Observer::faults() const {
    std::vector<std::string> faults;
    Database database(this->database());
    if (const std::string said = database.value("PRAGMA integrity_check"); said != "ok")
        faults.push_back("integrity_check: " + said);
    add_rows(database, "foreign_key_check", "PRAGMA foreign_key_check", faults);
    add_rows(database, "a prompt is there twice",
             "SELECT a.name, m.thread_id, m.content FROM messages m JOIN agents a ON a.id = "
             "m.agent_id WHERE m.role = 'user' AND m.turn_id IS NOT NULL AND m.restored_from IS "
             "NULL GROUP BY 1, 2, 3 HAVING count(*) > 1",
             faults);
    add_rows(database, "turn numbers have a gap",
             "SELECT agent_id, thread_id, count(*), max(turn_number) FROM turns GROUP BY 1, 2 "
             "HAVING count(*) <> max(turn_number) OR min(turn_number) <> 1",
             faults);
    add_rows(database, "an open turn is not the newest",
             "SELECT t.id FROM turns t WHERE ended_at IS NULL AND EXISTS (SELECT 1 FROM turns n "
             "WHERE n.agent_id = t.agent_id AND n.thread_id = t.thread_id AND "
             "n.turn_number > t.turn_number)",
             faults);
    add_rows(database, "the results of a call are not one",
             "SELECT m.turn_id, c.value ->> 'id' FROM messages m JOIN turns t ON t.id = m.turn_id, "
             "json_each(m.tool_calls) c WHERE t.ended_at IS NOT NULL AND t.state = 'idle' AND "
             "(SELECT count(*) FROM messages r WHERE r.role = 'tool_result' AND r.turn_id = "
             "m.turn_id AND r.tool_call_id = c.value ->> 'id') <> 1",
             faults);
    return faults;
}

}  // namespace fault
