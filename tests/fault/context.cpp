// SIGKILL at the k-th system call of a verb that changes what an agent remembers: it has been done
// or not, what is on disk is known or mended by the doctor, and the agent goes on.
//
//   fault_context --bin DIR [--seed N] [--points N] [--every]
//   fault_context --bin DIR --verb restore --at 812
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>

#include "fault/checker.hpp"
#include "fault/database.hpp"
#include "fault/verbs.hpp"

namespace fault {
namespace {

namespace fs = std::filesystem;

constexpr long points_of_a_run = 540;
constexpr long least_killed = 400;

// {session}, {message}, {dump} and {branch} stand for what the prepared home has.
struct Verb {
    std::vector<std::string> arguments;
    // What it saves first stays saved when the rest is not done.
    bool saves_first = false;
};

const std::map<std::string, Verb> verbs = {
    {"save", {{"save", "a", "by hand", "--no-summary"}}},
    {"clear", {{"clear", "a", "--save"}, true}},
    {"restore", {{"restore", "a", "{session}"}, true}},
    {"idle-save", {{"idle-save", "--all", "--idle-timeout", "1", "--no-summary"}}},
    {"branch", {{"branch", "a", "other", "--at", "{message}"}}},
    {"switch", {{"switch", "a", "{branch}"}}},
    {"rewind", {{"rewind", "a", "--to", "{message}"}}},
    {"compact", {{"compact", "a"}, true}},
    {"import", {{"import", "a", "{dump}"}}},
};

class Remembering {
  public:
    Remembering(Programs programs, const std::string& directory, std::string kept, std::string bin)
        : world_(std::move(programs), directory, directory + "/unused"),
          kept_(std::move(kept)),
          bin_(std::move(bin)) {}

    // Three turns, a saved session, a second branch, and a file to import.
    void prepare() {
        world_.begin_empty();
        if (world_.init({"a", "--model", "anthropic/m", "--permissions", "open"}).status != 0)
            throw std::runtime_error("chorus-init: " + world_.err());
        write(world_.home() + "/config.json", R"({"max_retries": 0, "sandbox": "off"})");
        for (const char* text : {"say 0", "say 1", "say 2"})
            if (world_.say(text).status != 0) throw std::runtime_error("say: " + world_.err());
        require({"save", "a", "kept", "--no-summary"});
        require({"branch", "a", "second"});
        require({"export", "a", "--format", "jsonl", "-o", dump()});
        fs::remove_all(kept_);
        fs::rename(world_.home(), kept_);
    }

    long length(const std::string& verb) {
        begin();
        Launch counting = launch(verbs.at(verb).arguments);
        counting.counts = true;
        const Ended ended = world_.run(std::move(counting), "");
        if (ended.status != 0) throw std::runtime_error(verb + ": " + world_.err());
        return ended.calls;
    }

    Outcome work(const Point& point) {
        Outcome outcome;
        const Verb& verb = verbs.at(point.at("verb"));
        begin();
        const std::string before = state();
        const std::string sessions_before = sessions();
        if (world_.run(launch(verb.arguments), "").status != 0)
            outcome.complaints.push_back("undisturbed: " + world_.err());
        const std::string after = state();
        const std::string sessions_after = sessions();

        begin();
        Launch killed = launch(verb.arguments);
        killed.kill_at = std::stol(point.at("at"));
        const Ended first = world_.run(std::move(killed), "");
        outcome.counted["killed"] += first.killed ? 1 : 0;
        add(outcome, end_complaints(first, "the verb"));
        const std::string now = state();
        const bool done = now == after;
        if (!done && now != before)
            outcome.complaints.push_back("half done: " + now + "\n    before: " + before +
                                         "\n    after:  " + after);
        check_sessions(outcome, done && after != before, verb, sessions_before, sessions_after);
        mend(outcome);
        add(outcome, home_complaints(world_));
        go_on(outcome, "say 3");
        go_on(outcome, "say 4");
        return outcome;
    }

    void keep_as(const std::string& path) const { world_.keep_as(path); }

  private:
    static void add(Outcome& outcome, std::vector<std::string> more) {
        for (std::string& one : more) outcome.complaints.push_back(std::move(one));
    }

    // with the home, so that every copy has it
    std::string dump() const { return world_.home() + "/agents/a/workspace/dump.jsonl"; }

    std::string filled(const std::string& word) const {
        if (word == "{dump}") return dump();
        if (word == "{session}") return value("SELECT id FROM sessions");
        if (word == "{branch}") return value("SELECT branch FROM threads WHERE branch <> 'main'");
        if (word == "{message}")
            return value("SELECT id FROM messages WHERE thread_id = 1 AND content LIKE '%say 1'");
        return word;
    }

    Launch launch(const std::vector<std::string>& arguments) const {
        Launch launch = world_.turn_launch({});
        launch.arguments = {bin_ + "/chorus-context"};
        for (const std::string& word : arguments) launch.arguments.push_back(filled(word));
        return launch;
    }

    void require(const std::vector<std::string>& arguments) {
        if (world_.run(launch(arguments), "").status != 0)
            throw std::runtime_error(arguments[0] + ": " + world_.err());
    }

    void begin() {
        world_.begin_empty();
        fs::copy(kept_, world_.home(),
                 fs::copy_options::recursive | fs::copy_options::copy_symlinks);
        // nobody has been at it for long enough to be idle
        Database(world_.home() + "/chorus.db").rows("UPDATE agents SET last_activity = 1");
    }

    std::string value(const std::string& sql) const {
        return Database(world_.home() + "/chorus.db").value(sql);
    }

    // Without ids, names and times that are new each time.
    std::string state() const {
        Database database(world_.home() + "/chorus.db");
        std::string text = "messages";
        for (const auto& row : database.rows(
                 "SELECT thread_id || ':' || count(*) || ':' || sum(compacted_into IS NOT NULL) || "
                 "':' || sum(restored_from IS NOT NULL) || ':' || min(content) || ':' || "
                 "max(content) FROM messages GROUP BY thread_id"))
            text += " " + row[0];
        text +=
            ", window " +
            database.value(
                "SELECT group_concat(n, ' ') FROM (SELECT (SELECT count(*) FROM messages m "
                "WHERE m.thread_id = t.thread_id AND m.id > a.last_clear_message AND m.id >= "
                "t.window_start AND m.compacted_into IS NULL) AS n FROM threads t JOIN agents a "
                "ON a.id = t.agent_id ORDER BY t.thread_id)");
        text += ", threads " + database.value("SELECT count(*) FROM threads");
        const fs::path agent = world_.agent("a");
        std::error_code ignored;
        const std::string current = fs::read_symlink(agent / "current", ignored).filename();
        text += current == "main" ? ", on main" : ", on another branch";
        return text;
    }

    std::string sessions() const {
        return value(
            "SELECT group_concat(trigger, ' ') FROM (SELECT trigger FROM sessions ORDER "
            "BY rowid)");
    }

    // All that the verb saves, or nothing, or what it saves before the rest.
    void check_sessions(Outcome& outcome, bool done, const Verb& verb, const std::string& before,
                        const std::string& after) const {
        const std::string now = sessions();
        const bool may_be_saved = done || verb.saves_first || state_is_sessions(verb);
        const bool fine = (!done && now == before) || (may_be_saved && now == after);
        if (!fine) outcome.complaints.push_back("sessions: " + now + (done ? ", done" : ""));
        Database database(world_.home() + "/chorus.db");
        for (const auto& row : database.rows("SELECT file_path FROM sessions"))
            if (!fs::exists(world_.home() + "/" + row[0]))
                outcome.complaints.push_back("a row without its file: " + row[0]);
    }
    // A save changes nothing else.
    static bool state_is_sessions(const Verb& verb) { return verb.arguments[0] == "save"; }

    void mend(Outcome& outcome) {
        Launch doctor = launch({});
        doctor.arguments = {bin_ + "/chorus-config", "doctor", "--fix"};
        if (world_.run(doctor, "").status != 0)
            outcome.complaints.push_back("doctor --fix: " + world_.out() + world_.err());
        doctor.arguments.pop_back();
        if (world_.run(doctor, "").status != 0)
            outcome.complaints.push_back("doctor finds: " + world_.out() + world_.err());
        std::set<std::string> known;
        Database database(world_.home() + "/chorus.db");
        for (const auto& row : database.rows("SELECT file_path FROM sessions"))
            known.insert(row[0]);
        for (const auto& entry : fs::directory_iterator(world_.agent("a") + "/sessions"))
            if (!known.contains("agents/a/sessions/" + entry.path().filename().string()))
                outcome.complaints.push_back("left behind: " + entry.path().string());
    }

    void go_on(Outcome& outcome, const std::string& text) {
        if (world_.say(text).status != 0) outcome.complaints.push_back(text + ": " + world_.err());
        for (const Request& request : world_.witness().requests)
            if (!request.problem.empty())
                outcome.complaints.push_back("a request: " + request.problem);
    }

    World world_;
    std::string kept_;
    std::string bin_;
};

int main_of(int argc, char** argv) {
    return kill_verbs(argc, argv, {names_of(verbs), points_of_a_run, least_killed},
                      [](const Programs& programs, const std::string& directory,
                         const std::string& kept, const std::string& bin) {
                          return std::make_shared<Remembering>(programs, directory, kept, bin);
                      });
}

}  // namespace
}  // namespace fault

int main(int argc, char** argv) {
    return fault::run_suite(fault::main_of, argc, argv);
}
