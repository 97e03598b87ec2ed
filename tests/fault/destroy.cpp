// SIGKILL at the k-th system call of chorus-destroy, then chorus-destroy again: in between the
// agent is whole, being destroyed or destroyed; afterwards rows and files agree, every session that
// was saved is where its row says, and the name is free.
//
//   fault_destroy --bin DIR [--seed N] [--points N] [--every]
//   fault_destroy --bin DIR --verb archive --at 812
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

constexpr long points_of_a_run = 300;
constexpr long least_killed = 200;

const std::map<std::string, std::vector<std::string>> verbs = {
    {"archive", {}}, {"keep", {"--keep-files"}}, {"purge", {"--purge"}}};

class Ending {
  public:
    Ending(Programs programs, const std::string& directory, std::string kept, std::string bin)
        : world_(std::move(programs), directory, directory + "/unused"),
          kept_(std::move(kept)),
          bin_(std::move(bin)) {}

    // What was said, a saved session, a turn that waits and a message that waits behind it; and an
    // agent that has nothing to do with it.
    void prepare() {
        world_.begin_empty();
        for (const char* name : {"a", "b"})
            if (world_.init({name, "--model", "anthropic/m"}).status != 0)
                throw std::runtime_error("chorus-init: " + world_.err());
        write(world_.home() + "/config.json", R"({"max_retries": 0, "sandbox": "off"})");
        for (const char* text : {"say 0", "say 1"})
            if (world_.say(text).status != 0) throw std::runtime_error("say: " + world_.err());
        require("chorus-context", {"save", "a", "kept", "--no-summary"}, 0);
        require("chorus-run", {"a", "-p", "ask 2"}, 10);
        require("chorus-run", {"a", "--queue", "-p", "say 3"}, 0);
        fs::remove_all(kept_);
        fs::rename(world_.home(), kept_);
    }

    long length(const std::string& verb) {
        begin();
        Launch counting = destroy(verb);
        counting.counts = true;
        const Ended ended = world_.run(std::move(counting), "");
        if (ended.status != 0) throw std::runtime_error(verb + ": " + world_.err());
        return ended.calls;
    }

    Outcome work(const Point& point) {
        Outcome outcome;
        const std::string& verb = point.at("verb");
        begin();
        Launch killed = destroy(verb);
        killed.kill_at = std::stol(point.at("at"));
        const Ended first = world_.run(std::move(killed), "");
        outcome.counted["killed"] += first.killed ? 1 : 0;
        add(outcome, end_complaints(first, "the first"));
        check_between(outcome, verb);

        const std::string status = status_of_a();
        const Ended second = world_.run(destroy(verb), "");
        add(outcome, end_complaints(second, "the second"));
        // one that was killed behind its last step has done all
        if (second.status != 0 && !(status == "destroyed" && second.status == 4))
            outcome.complaints.push_back("the second: " + world_.err());
        check_home(outcome, verb);
        check_rows(outcome);
        check_files(outcome, verb);
        go_on(outcome, verb);
        return outcome;
    }

    void keep_as(const std::string& path) const { world_.keep_as(path); }

  private:
    static void add(Outcome& outcome, std::vector<std::string> more) {
        for (std::string& one : more) outcome.complaints.push_back(std::move(one));
    }
    static void expect(Outcome& outcome, bool holds, const std::string& what) {
        if (!holds) outcome.complaints.push_back(what);
    }

    Launch launch(const std::string& program, const std::vector<std::string>& arguments) const {
        Launch launch = world_.turn_launch(arguments);
        launch.arguments[0] = bin_ + "/" + program;
        return launch;
    }
    Launch destroy(const std::string& verb) const {
        std::vector<std::string> arguments = {"a", "--yes"};
        const std::vector<std::string>& more = verbs.at(verb);
        arguments.insert(arguments.end(), more.begin(), more.end());
        return launch("chorus-destroy", arguments);
    }
    void require(const std::string& program, const std::vector<std::string>& arguments,
                 int status) {
        if (world_.run(launch(program, arguments), "").status != status)
            throw std::runtime_error(program + ": " + world_.err());
    }

    void begin() {
        world_.begin_empty();
        fs::copy(kept_, world_.home(),
                 fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    }

    std::string value(const std::string& sql) const {
        return Database(world_.home() + "/chorus.db").value(sql);
    }
    std::string status_of_a() const {
        return value("SELECT status FROM agents WHERE name = 'a' ORDER BY generation DESC");
    }

    // Nobody is misled by what is half done.
    void check_between(Outcome& outcome, const std::string& verb) {
        const std::string status = status_of_a();
        const bool is_there = fs::exists(world_.agent("a") + "/agent.json");
        if (status == "active") {
            expect(outcome, is_there, "active, and its directory is gone");
            expect(outcome, value("SELECT count(*) FROM prompts WHERE state = 'pending'") == "2",
                   "active, and its prompts are gone");
            expect(outcome, value("SELECT count(*) FROM inbox") == "1",
                   "active, and its inbox is empty");
            return;
        }
        if (status == "destroyed")
            expect(outcome, is_there == (verb == "keep"), "destroyed, and its directory disagrees");
        const Ended turn = world_.run(launch("chorus-run", {"a", "-p", "say 8"}), "");
        expect(outcome, turn.status == 4,
               status + ": a turn ended with " + std::to_string(turn.status));
    }

    // A kept directory is no stray.
    void check_home(Outcome& outcome, const std::string& verb) {
        for (std::string& complaint : home_complaints(world_))
            if (verb != "keep" ||
                complaint != "a directory without a row: " + world_.home() + "/agents/a")
                outcome.complaints.push_back(std::move(complaint));
        Launch doctor = launch("chorus-config", {"doctor"});
        if (world_.run(doctor, "").status != 0)
            outcome.complaints.push_back("doctor finds: " + world_.out());
    }

    void check_rows(Outcome& outcome) {
        Database database(world_.home() + "/chorus.db");
        const auto equal = [&](const std::string& sql, const std::string& wanted) {
            const std::string found = database.value(sql);
            expect(outcome, found == wanted, sql + ": " + found + ", not " + wanted);
        };
        equal("PRAGMA integrity_check", "ok");
        equal("SELECT count(*) FROM pragma_foreign_key_check", "0");
        equal("SELECT group_concat(status) FROM agents WHERE name = 'a'", "destroyed");
        equal("SELECT count(*) FROM turns WHERE ended_at IS NULL", "0");
        equal("SELECT group_concat(DISTINCT state) FROM prompts", "cancelled");
        equal("SELECT count(*) FROM inbox WHERE delivered_turn IS NULL", "0");
        equal(
            "SELECT group_concat(previous || '>' || next, ' ') FROM (SELECT * FROM events WHERE "
            "kind = 'agent' AND cause = 'destroy' ORDER BY id)",
            "active>destroying destroying>destroyed");
    }

    // Each file has its row and each row its file.
    void check_files(Outcome& outcome, const std::string& verb) {
        const std::string place = verb == "keep" ? "agents/a/sessions" : "archive/a-1/sessions";
        const std::string triggers = value(
            "SELECT group_concat(trigger) FROM (SELECT trigger FROM sessions ORDER BY rowid)");
        expect(outcome, triggers == (verb == "purge" ? "manual_save" : "manual_save,destroy"),
               "sessions: " + triggers);
        std::set<std::string> known;
        Database database(world_.home() + "/chorus.db");
        for (const auto& row : database.rows("SELECT file_path FROM sessions"))
            if (!row[0].empty()) known.insert(row[0]);
        expect(outcome, known.size() == (verb == "purge" ? 0U : 2U), "rows without a file");
        for (const std::string& path : known)
            expect(outcome,
                   path.rfind(place + "/", 0) == 0 && fs::exists(world_.home() + "/" + path),
                   "a row without its file: " + path);
        for (const char* root : {"/archive", "/agents/a/sessions"}) {
            std::error_code none;
            for (const auto& entry : fs::recursive_directory_iterator(world_.home() + root, none)) {
                const std::string path = entry.path().string().substr(world_.home().size() + 1);
                if (entry.is_regular_file() && !known.contains(path))
                    outcome.complaints.push_back("a file without its row: " + path);
            }
        }
        expect(outcome, fs::exists(world_.agent("a")) == (verb == "keep"), "the directory");
        if (verb == "keep")
            expect(outcome,
                   contents(world_.agent("a") + "/export.jsonl").find("\"type\":\"end\"") !=
                       std::string::npos,
                   "the conversation is not with it");
    }

    // The name is free, the sessions are within reach, and the other agent knows of nothing.
    void go_on(Outcome& outcome, const std::string& verb) {
        std::vector<std::string> arguments = {"a"};
        if (verb != "keep") arguments.insert(arguments.end(), {"--model", "anthropic/m"});
        if (world_.init(arguments).status != 0)
            outcome.complaints.push_back("chorus-init: " + world_.err());
        if (verb != "purge") {
            const std::string id = value("SELECT id FROM sessions WHERE trigger = 'destroy'");
            if (world_.run(launch("chorus-context", {"restore", "a", id}), "").status != 0)
                outcome.complaints.push_back("restore: " + world_.err());
        }
        for (const char* name : {"a", "b"})
            if (world_.run(launch("chorus-run", {name, "-p", "say 9"}), "").status != 0)
                outcome.complaints.push_back(std::string(name) + ": say 9: " + world_.err());
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
                          return std::make_shared<Ending>(programs, directory, kept, bin);
                      });
}

}  // namespace
}  // namespace fault

int main(int argc, char** argv) {
    return fault::run_suite(fault::main_of, argc, argv);
}
