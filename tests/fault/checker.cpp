#include "fault/checker.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "fault/database.hpp"

namespace fault {
namespace {

namespace fs = std::filesystem;

using Complaints = std::vector<std::string>;

constexpr long most_kib = 128 * 1024;

long count_lines(const std::string& path, const std::string& wanted) {
    std::istringstream stream(contents(path));
    long count = 0;
    for (std::string line; std::getline(stream, line);) count += line == wanted ? 1 : 0;
    return count;
}

// Everything below, links not followed.
void each_file(const std::string& root, const std::function<void(const fs::path&)>& use) {
    if (!fs::exists(root)) return;
    for (const auto& entry : fs::recursive_directory_iterator(root))
        if (entry.is_regular_file() && !entry.is_symlink()) use(entry.path());
}

// What a rename or an unlink was to take away again.
bool is_temporary(const std::string& name) {
    return name.rfind(".chorus-", 0) == 0 || name.rfind(".tmp-", 0) == 0 ||
           name.rfind("tmp_", 0) == 0 || name.ends_with(".lock") ||
           name.find("_git2_") != std::string::npos;
}

// The effects of one user text's turn, counted in the workspace, beside what the record says of
// them.
class Effects {
  public:
    Effects(const World& world, Database& database, const std::set<std::string>& commits_seen,
            const std::multiset<std::string>& subjects, Complaints& complaints)
        : world_(world),
          database_(database),
          commits_(commits_seen),
          subjects_(subjects),
          complaints_(complaints) {}

    void check(const std::string& number) {
        const std::string notes = contents(world_.workspace() + "/notes-" + number + ".txt");
        compare(number, "create_file", notes.empty() ? 0 : 1);
        compare(number, "str_replace", notes.find("2nd " + number) != std::string::npos ? 1 : 0);
        compare(number, "append_file",
                count_lines(world_.workspace() + "/log.txt", "appended " + number));
        compare(number, "bash", count_lines(world_.workspace() + "/count.txt", "ran " + number));
        compare(number, "git_commit", static_cast<long>(subjects_.count("commit " + number)));
        if (!notes.empty() && notes != "first\nsecond " + number + "\n" &&
            notes != "first\n2nd " + number + "\n")
            complaints_.push_back("notes-" + number + ".txt is torn: '" + notes + "'");
    }

  private:
    void compare(const std::string& number, const std::string& tool, long times) {
        const std::string id = "w" + number + "_" + tool;
        const auto rows = database_.rows(
            "SELECT r.outcome, (SELECT content FROM messages m WHERE m.turn_id = r.turn_id AND "
            "m.tool_call_id = r.tool_call_id) FROM tool_runs r WHERE r.tool_call_id = ?",
            {id});
        const std::string outcome = rows.empty() ? "never asked for" : rows[0][0];
        const auto complain = [&](const std::string& what) {
            complaints_.push_back(id + " (" + outcome + "): " + what);
        };
        if (times > 1) complain("has taken effect " + std::to_string(times) + " times");
        if (outcome == "ok" && times == 0) complain("has had no effect");
        if (outcome == "unknown") {
            if (tool != "bash") complain(could_be_found_out);
        } else if (outcome != "ok" && outcome != "error" && times > 0) {
            // (a write whose last sync failed is an error, and may be there)
            complain("has taken effect");
        }
        if (outcome == "ok" && tool == "git_commit") check_commit(id, rows[0][1]);
    }
    void check_commit(const std::string& id, const std::string& result) {
        std::istringstream words(result);
        std::string word;
        while (words >> word)
            if (word.size() == 40 && !commits_.contains(word))
                complaints_.push_back(id + ": commit " + word + " is not in the repository");
    }

    const World& world_;
    Database& database_;
    const std::set<std::string>& commits_;
    const std::multiset<std::string>& subjects_;
    Complaints& complaints_;
};

class Check {
  public:
    explicit Check(const World& world)
        : world_(world), witness_(world.witness()), database_(world.home() + "/chorus.db") {}

    Complaints all() {
        check_database();
        check_calls();
        check_turns();
        check_told();
        check_requests();
        check_repository();
        check_transcript();
        return std::move(complaints_);
    }

  private:
    void complain(const std::string& what) { complaints_.push_back(what); }
    // Nothing may be found.
    void none(const std::string& what, const std::string& sql,
              const std::vector<std::string>& values = {}) {
        std::string found;
        for (const Database::Row& row : database_.rows(sql, values)) {
            for (const std::string& column : row) found += (found.empty() ? "" : " ") + column;
            found += ";";
        }
        if (!found.empty()) complain(what + ": " + found);
    }
    void equal(const std::string& what, const std::string& wanted, const std::string& sql,
               const std::vector<std::string>& values = {}) {
        const std::string found = database_.value(sql, values);
        if (found != wanted) complain(what + ": '" + found + "', not '" + wanted + "'");
    }

    void check_database();
    void check_calls();
    void check_turns();
    void check_told();
    void check_requests();
    void check_repository();
    void check_transcript();
    std::vector<Block> stored_blocks();

    const World& world_;
    const Witness& witness_;
    Database database_;
    Complaints complaints_;
};

void Check::check_database() {
    equal("integrity_check", "ok", "PRAGMA integrity_check");
    none("foreign_key_check", "PRAGMA foreign_key_check");
    none("the audit chain is broken",
         "SELECT id FROM (SELECT id, previous_hash, lag(hash, 1, '') OVER (ORDER BY id) AS before "
         "FROM audit_log) WHERE previous_hash <> before");
    // of what a branch copied the original is found
    none("messages that are neither in the full-text index nor wait for it",
         "SELECT id FROM messages WHERE ifnull(restored_from, '') NOT LIKE 'message %' AND id <= "
         "(SELECT CAST(value AS INTEGER) FROM settings WHERE scope = 'search' AND key = 'indexed') "
         "AND id NOT IN (SELECT id FROM messages_fts_docsize)");
    none("rows of the full-text index without a message",
         "SELECT id FROM messages_fts_docsize WHERE id NOT IN (SELECT id FROM messages)");
}

void Check::check_calls() {
    const std::string calls =
        "(SELECT m.turn_id AS turn, c.value ->> 'id' AS call FROM messages m, "
        "json_each(m.tool_calls) c WHERE m.turn_id IS NOT NULL)";  // copies are of no turn
    none("calls without exactly one result",
         "SELECT call FROM " + calls +
             " WHERE 1 <> (SELECT count(*) FROM messages r WHERE r.role = "
             "'tool_result' AND r.turn_id = turn AND r.tool_call_id = call)");
    none("results without a call",
         "SELECT tool_call_id FROM messages r WHERE role = 'tool_result' AND turn_id IS NOT NULL "
         "AND "
         "NOT EXISTS (SELECT 1 FROM " +
             calls + " WHERE turn = r.turn_id AND call = r.tool_call_id)");
    none("calls without exactly one finished run",
         "SELECT call FROM " + calls +
             " WHERE 1 <> (SELECT count(*) FROM tool_runs r WHERE r.turn_id = "
             "turn AND r.tool_call_id = call AND finished_at IS NOT NULL AND outcome IS NOT NULL)");
    none("runs without a call",
         "SELECT tool_call_id FROM tool_runs r WHERE NOT EXISTS (SELECT 1 FROM " + calls +
             " WHERE turn = r.turn_id AND call = r.tool_call_id)");
    none("outcomes that say less than is known",
         "SELECT tool_call_id, outcome FROM tool_runs WHERE outcome = 'unknown' AND tool IN "
         "('view', 'list_files')");
}

void Check::check_turns() {
    none("turns that are still open",
         "SELECT id, state FROM turns WHERE ended_at IS NULL OR pid IS NOT NULL OR state IN "
         "('starting', 'working')");
    none("turn numbers with gaps",
         "SELECT turn_number FROM turns WHERE turn_number <> (SELECT count(*) FROM turns t WHERE "
         "t.agent_id = turns.agent_id AND t.thread_id = turns.thread_id AND t.id <= turns.id)");
    none(
        "turn_count is not the number of turns",
        "SELECT name, turn_count FROM agents WHERE turn_count <> (SELECT count(*) FROM turns WHERE "
        "agent_id = agents.id)");
    none("threads at work", "SELECT thread_id, state FROM turns WHERE ended_at IS NULL AND state <> 'parked'");
    none("events whose states do not follow one another",
         "SELECT id, previous, next FROM (SELECT id, previous, next, lag(next) OVER (PARTITION BY "
         "turn_id ORDER BY id) AS before FROM events WHERE kind = 'turn') WHERE before IS NOT NULL "
         "AND "
         "previous <> before");
}

// No message that was accepted is lost or doubled, none is there that nobody sent.
void Check::check_told() {
    for (const std::string& text : witness_.sent)
        none(
            "more than one message '" + text + "'",
            "SELECT count(*) FROM messages WHERE role = 'user' AND content = ? HAVING count(*) > 1",
            {text});
    for (const Witness::Told& turn : witness_.accepted)
        equal("accepted message '" + turn.text + "' of turn " + turn.id, "1",
              "SELECT count(*) FROM messages WHERE role = 'user' AND turn_id = ? AND content = ?",
              {turn.id, turn.text});
    for (const Witness::Told& answer : witness_.answers)
        equal("answer " + answer.id, answer.text,
              "SELECT content FROM messages WHERE role = 'assistant' AND id = ?", {answer.id});
    for (const std::string& id : witness_.finished)
        equal("finished turn " + id, "idle", "SELECT state FROM turns WHERE id = ?", {id});
    // a call told as done has been done, whatever became of its row
    for (const Witness::Told& result : witness_.results)
        none("call " + result.id + ", told as " + result.text,
             "SELECT outcome FROM tool_runs WHERE tool_call_id = ? AND outcome NOT IN (?, "
             "'unknown') "
             "AND tool NOT IN ('view', 'list_files')",
             {result.id, result.text});
    for (const auto& row : database_.rows("SELECT content FROM messages WHERE role = 'user'"))
        if (std::find(witness_.sent.begin(), witness_.sent.end(), row[0]) == witness_.sent.end())
            complain("a message that nobody sent: " + row[0]);
}

std::vector<Block> Check::stored_blocks() {
    std::vector<Block> blocks;
    for (const auto& row : database_.rows("SELECT role, content, ifnull(tool_calls, '[]'), "
                                          "ifnull(tool_call_id, '') FROM messages "
                                          "WHERE agent_id = 1 ORDER BY id")) {
        if (row[0] == "tool_result") {
            blocks.push_back({"user", "tool_result", row[3], row[1]});
            continue;
        }
        if (!row[1].empty()) blocks.push_back({row[0], "text", "", row[1]});
        for (const Json& call : Json::parse(row[2]))
            blocks.push_back({"assistant", "tool_use", call.value("id", ""), ""});
    }
    return blocks;
}

// What the provider was told once stays told, in the same words: each request is the beginning of
// the next one, and the last one is what is stored.
void Check::check_requests() {
    std::vector<Block> before;
    for (const Request& request : witness_.requests) {
        if (!request.problem.empty()) complain("a provider would refuse: " + request.problem);
        if (before.size() > request.blocks.size() ||
            !std::equal(before.begin(), before.end(), request.blocks.begin()))
            complain("a request is not the beginning of the next one: " +
                     request.body["messages"].dump());
        before = request.blocks;
    }
    std::erase_if(before, [](const Block& block) { return block.text.rfind("<status>", 0) == 0; });
    for (Block& block : before)
        if (block.type == "tool_use") block.text.clear();
    const std::vector<Block> stored = stored_blocks();
    if (before.size() > stored.size() || !std::equal(before.begin(), before.end(), stored.begin()))
        complain("what is stored is not what was asked with");
    else if (!before.empty() && stored.size() != before.size() + 1)
        complain("more is stored than one answer to the last request");
}

void Check::check_repository() {
    const std::string workspace = world_.workspace();
    const std::vector<std::string> environment = {"PATH=/usr/local/bin:/usr/bin:/bin",
                                                  "HOME=" + world_.directory() + "/user",
                                                  "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C"};
    std::set<std::string> commits;
    std::multiset<std::string> subjects;
    try {
        const std::string fsck = output_of(
            {"/usr/bin/git", "-C", workspace, "fsck", "--strict", "--no-progress", "--no-dangling"},
            environment);
        if (!fsck.empty()) complain("git fsck: " + fsck);
        std::istringstream log(
            output_of({"/usr/bin/git", "-C", workspace, "log", "--format=%H %s"}, environment));
        for (std::string line; std::getline(log, line);) {
            commits.insert(line.substr(0, 40));
            subjects.insert(line.substr(std::min<std::size_t>(41, line.size())));
        }
    } catch (const std::runtime_error& error) {
        complain(std::string("git fsck: ") + error.what());
    }
    Effects effects(world_, database_, commits, subjects, complaints_);
    for (const std::string& text : witness_.sent)
        if (text.rfind("work ", 0) == 0) effects.check(text.substr(5));
    for (const auto& entry : fs::directory_iterator(workspace)) {
        const std::string name = entry.path().filename();
        if (name != ".git" && name != ".gitkeep" && name != "log.txt" && name != "count.txt" &&
            name.rfind("notes-", 0) != 0)
            complain("in the workspace: " + name);
    }
}

void Check::check_transcript() {
    const std::string text = contents(world_.agent("a") + "/branches/main/session.md");
    std::vector<std::string> marks;
    constexpr std::string_view mark = "<!-- message ";
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
        at += mark.size();
        const std::string id = text.substr(at, text.find(' ', at) - at);
        if (id != "0") marks.push_back(id);
    }
    std::vector<std::string> ids;
    for (const auto& row : database_.rows("SELECT id FROM messages WHERE agent_id = 1 ORDER BY id"))
        ids.push_back(row[0]);
    if (marks == ids) return;
    std::string found;
    for (const std::string& id : marks) found += " " + id;
    complain("the transcript has the messages" + found + ", of " + std::to_string(ids.size()));
}

// Open-file-description locks of the home's files, whoever holds them.
Complaints lock_complaints(const std::string& home) {
    std::map<unsigned long, std::string> inodes;
    each_file(home, [&](const fs::path& path) {
        struct stat status {};
        if (stat(path.c_str(), &status) == 0) inodes[status.st_ino] = path.string();
    });
    Complaints complaints;
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
        // "1: OFDLCK ADVISORY WRITE -1 fe:00:1234 0 EOF"
        std::istringstream words(line);
        std::string word;
        while (words >> word) {
            const std::size_t colon = word.rfind(':');
            if (std::count(word.begin(), word.end(), ':') != 2) continue;
            const auto found = inodes.find(std::stoul(word.substr(colon + 1)));
            if (found != inodes.end()) complaints.push_back("a lock is held: " + found->second);
        }
    }
    return complaints;
}

}  // namespace

std::vector<std::string> secret_complaints(const World& world) {
    Complaints complaints;
    each_file(world.home(), [&](const fs::path& path) {
        if (contents(path).find(canary) != std::string::npos)
            complaints.push_back("the key is in " + path.string());
    });
    if (world.witness().printed.find(canary) != std::string::npos)
        complaints.push_back("the key was printed");
    return complaints;
}

std::vector<std::string> home_complaints(const World& world) {
    // before the database is looked into, which takes locks of its own
    Complaints complaints = lock_complaints(world.home());
    for (std::string& secret : secret_complaints(world)) complaints.push_back(std::move(secret));
    each_file(world.home(), [&](const fs::path& path) {
        if (path.extension() == ".json" && !Json::accept(contents(path)))
            complaints.push_back(path.string() + " is no JSON");
        // the sandbox's own test is done again, in the same place, before the next command
        if (is_temporary(path.filename().string()) &&
            path.parent_path().filename() != "sandbox-test")
            complaints.push_back("left behind: " + path.string());
    });
    Database database(world.home() + "/chorus.db");
    std::set<std::string> names;
    for (const auto& row :
         database.rows("SELECT name, status FROM agents WHERE status <> 'destroyed'")) {
        names.insert(row[0]);
        if (row[1] != "active") complaints.push_back("agent " + row[0] + " is " + row[1]);
        if (!fs::exists(world.agent(row[0]) + "/agent.json"))
            complaints.push_back("agent " + row[0] + " has no directory");
    }
    for (const auto& entry : fs::directory_iterator(world.home() + "/agents"))
        if (!names.contains(entry.path().filename()))
            complaints.push_back("a directory without a row: " + entry.path().string());
    return complaints;
}

std::vector<std::string> complaints(const World& world) {
    Complaints found = home_complaints(world);
    try {
        for (std::string& more : Check(world).all()) found.push_back(std::move(more));
    } catch (const std::exception& error) {
        found.push_back(std::string("cannot be checked: ") + error.what());
    }
    return found;
}

std::vector<std::string> go_on(World& world, const std::string& then) {
    const Ended ended = then == "resume" ? world.resume() : world.say(then + " 9");
    Complaints found = end_complaints(ended, then);
    if (ended.status != 0)
        found.push_back(then + ": exit status " + std::to_string(ended.status) + ": " +
                        world.err());
    const std::string wanted = then == "work" ? "Done 9." : then == "say" ? "Said 9." : "";
    if (world.out().find(wanted) == std::string::npos)
        found.push_back(then + ": no '" + wanted + "' in " + world.out());
    if (then != "work" || ended.status != 0) return found;
    Database database(world.home() + "/chorus.db");
    for (const auto& row : database.rows("SELECT tool_call_id, outcome, (SELECT content FROM "
                                         "messages m WHERE m.turn_id = r.turn_id "
                                         "AND m.tool_call_id = r.tool_call_id) FROM tool_runs r "
                                         "WHERE tool_call_id LIKE 'w9_%' AND "
                                         "outcome <> 'ok'"))
        found.push_back("undisturbed " + row[0] + " is " + row[1] + ": " + row[2]);
    return found;
}

std::vector<std::string> end_complaints(const Ended& ended, const std::string& what) {
    static const std::set<int> table = {0, 1,  2,  3,  4,   5,   6,   7,   8,
                                        9, 10, 11, 75, 124, 129, 130, 141, 143};
    Complaints complaints;
    if (ended.hung) complaints.push_back(what + ": did not come to an end");
    if (ended.left_children) complaints.push_back(what + ": left a process behind");
    if (ended.killed) return complaints;
    if (!table.contains(ended.status))
        complaints.push_back(what + ": exit status " + std::to_string(ended.status));
    if (ended.peak_kib > most_kib)
        complaints.push_back(what + ": took " + std::to_string(ended.peak_kib) + " KiB");
    return complaints;
}

}  // namespace fault
