// SIGKILL at the k-th system call of the process that decides what waits and goes on with that very
// call; then other processes decide and go on: each command has run once or is told as unknown, and
// each decision is on record once.
//
//   fault_approve --bin DIR [--seed N] [--points N] [--every]
//   fault_approve --bin DIR --verb approve --at 812
#include <cstdio>
#include <filesystem>
#include <memory>

#include "fault/checker.hpp"
#include "fault/database.hpp"
#include "fault/verbs.hpp"

namespace fault {
namespace {

namespace fs = std::filesystem;

constexpr long points_of_a_run = 400;
constexpr long least_killed = 300;

// How a person decides; `goes_on`: that process is the turn's too.
struct Verb {
    std::vector<std::string> arguments;  // of chorus-run a
    bool approves = true;
};

const std::map<std::string, Verb> verbs = {
    {"approve", {{"--approve", "all"}}},
    {"always", {{"--approve", "all", "--always"}}},
    {"deny", {{"--deny", "all"}, false}},
};

class Waiting {
  public:
    Waiting(const Programs& programs, const std::string& directory, std::string kept)
        : world_(programs, directory, directory + "/unused"), kept_(std::move(kept)) {}

    // A home whose one turn waits with two calls of bash.
    void prepare() {
        world_.begin_empty();
        if (world_.init({"a", "--model", "anthropic/m"}).status != 0)
            throw std::runtime_error("chorus-init: " + world_.err());
        write(world_.home() + "/config.json", R"({"max_retries": 0, "sandbox": "off"})");
        if (world_.run(launch({"-p", "ask 1"}), "ask 1").status != 10)
            throw std::runtime_error("chorus-run did not ask: " + world_.err());
        fs::remove_all(kept_);
        fs::rename(world_.home(), kept_);
    }

    long length(const std::string& verb) {
        begin();
        Launch counting = launch(verbs.at(verb).arguments);
        counting.counts = true;
        return world_.run(std::move(counting), "").calls;
    }

    Outcome work(const Point& point) {
        Outcome outcome;
        const Verb& verb = verbs.at(point.at("verb"));
        begin();
        Launch killed = launch(verb.arguments);
        killed.kill_at = std::stol(point.at("at"));
        const Ended first = world_.run(std::move(killed), "");
        outcome.counted["killed"] += first.killed ? 1 : 0;
        add(outcome, end_complaints(first, "the decision"));
        // what was killed between agent.json and the record is asked about again
        int status = 10;
        for (int round = 0; round < 3 && status == 10; ++round) {
            add(outcome, end_complaints(world_.run(launch(verb.arguments), ""), "deciding again"));
            status = world_.run(launch({"--resume"}), "").status;
        }
        if (status != 0) outcome.complaints.push_back("--resume: " + world_.err());
        add(outcome, home_complaints(world_));
        check(outcome, verb.approves);
        const Ended last = world_.say("say 2");
        if (last.status != 0) outcome.complaints.push_back("say 2: " + world_.err());
        for (const Request& request : world_.witness().requests)
            if (!request.problem.empty())
                outcome.complaints.push_back("a request: " + request.problem);
        return outcome;
    }

    void keep_as(const std::string& path) const { world_.keep_as(path); }

  private:
    static void add(Outcome& outcome, std::vector<std::string> more) {
        for (std::string& one : more) outcome.complaints.push_back(std::move(one));
    }

    Launch launch(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "a");
        arguments.insert(arguments.end(), {"--output-format", "stream-json"});
        return world_.turn_launch(arguments);
    }

    void begin() {
        world_.begin_empty();
        fs::copy(kept_, world_.home(),
                 fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    }

    static long count(const std::string& text, const std::string& line) {
        long found = 0;
        for (std::size_t at = 0; (at = text.find(line, at)) != std::string::npos; ++at) ++found;
        return found;
    }

    void check(Outcome& outcome, bool approves) {
        Database database(world_.home() + "/chorus.db");
        const std::string log = contents(world_.workspace() + "/count.txt");
        const auto expect = [&](bool holds, const std::string& what) {
            if (!holds) outcome.complaints.push_back(what);
        };
        for (const auto& row : database.rows(
                 "SELECT r.tool_call_id, r.outcome, p.state, p.consumed_at, p.id, p.action FROM "
                 "tool_runs r JOIN prompts p USING (turn_id, tool_call_id) WHERE p.state <> "
                 "'cancelled'")) {
            const std::string& call = row[0];
            const std::string& result = row[1];
            const long ran = count(log, "ran " + call + "\n");
            expect(row[2] == (approves ? "approved" : "denied"), call + ": " + row[2]);
            expect(!row[3].empty(), call + ": its prompt is not used up");
            if (approves)
                expect(result == "ok" ? ran == 1 : result == "unknown" && ran <= 1,
                       call + ": " + result + ", ran " + std::to_string(ran) + " times");
            else
                expect(result == "denied" && ran == 0, call + ": " + result);
            const std::string decisions = database.value(
                "SELECT count(*) FROM audit_log WHERE action_string = ? AND decision = ? AND "
                "detail LIKE '%prompt ' || ?",
                {row[5], approves ? "ask_approved" : "ask_denied", row[4]});
            expect(decisions == "1", call + ": decided " + decisions + " times in the audit log");
        }
        expect(database.value("SELECT count(*) FROM prompts WHERE state = 'pending'") == "0",
               "something still waits");
        expect(database.value("SELECT group_concat(DISTINCT state) FROM turns") == "idle",
               "a turn has not come to its end");
    }

    World world_;
    std::string kept_;
};

int main_of(int argc, char** argv) {
    return kill_verbs(
        argc, argv, {names_of(verbs), points_of_a_run, least_killed},
        [](const Programs& programs, const std::string& directory, const std::string& kept,
           const std::string&) { return std::make_shared<Waiting>(programs, directory, kept); });
}

}  // namespace
}  // namespace fault

int main(int argc, char** argv) {
    return fault::run_suite(fault::main_of, argc, argv);
}
