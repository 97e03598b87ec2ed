// Many processes at once on one home: 16 and 64 on one thread, many threads, many agents, births of
// one name, readers. Every accepted message is there once, in a thread whose turns were taken one
// by one, and nobody ever hears of a busy database.
//
//   fault_race --bin DIR [--messages N] [--seed N] [--wait-seconds N]
//
// Exit 1 where something is lost or doubled, where a process ended otherwise than it may, or where
// at 16 processes the 99th percentile of waiting for the write gate or for a thread's lock is 250
// ms or more. The wait is measured by processes that write rows by store::Transaction as fast as
// they can (from asking for one until it has begun), and that take and hold a sys::Lock as a turn
// does.
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "fault/clients/waits.hpp"
#include "fault/command.hpp"
#include "fault/database.hpp"
#include "fault/server.hpp"

namespace fault {
namespace {

namespace fs = std::filesystem;

constexpr double most_wait_ms = 250;
constexpr int busy_status = 75;
constexpr int exists_status = 5;
constexpr int lock_hold_ms = 5;

struct Options {
    std::string bin;
    int messages = 5'000;
    std::uint64_t seed = static_cast<std::uint64_t>(time(nullptr));
    int wait_seconds = 3;
};

// One chorus-run that is to be started; `token` is the whole of its prompt.
struct Call {
    std::string agent;
    std::string token;
    Words more;
    bool may_be_busy = false;
};

class Race {
  public:
    explicit Race(const Options& options) : options_(options), random_(options.seed) {
        // nothing here depends on a disk, and in memory more happens at once
        std::error_code error;
        const fs::path base =
            fs::is_directory("/dev/shm", error) ? "/dev/shm" : fs::temp_directory_path();
        scratch_ = (base / "chorus-race-XXXXXX").string();
        if (mkdtemp(scratch_.data()) == nullptr) give_up(scratch_ + ": cannot be made");
    }
    ~Race() { fs::remove_all(scratch_); }
    Race(const Race&) = delete;
    Race& operator=(const Race&) = delete;

    int run();

  private:
    std::string home() const { return scratch_ + "/home"; }
    Variables variables() const { return {{"CHORUS_HOME", home()}, {"HOME", scratch_}}; }
    Words turn(const Call& call) const;
    std::string new_token() { return "message-" + std::to_string(++tokens_); }
    std::string new_agent(const std::string& model = "builtin/script");
    void expect(bool holds, const std::string& what);
    void crowd(std::vector<Call> calls, std::size_t width);
    void judge(const Call& call, const Command& command);
    void check(const std::string& agent);
    void check_home();

    void on_one_thread(std::size_t width);
    void on_many_threads();
    void on_many_agents();
    void with_births_and_readers();
    void busy_is_told();
    void threads_are_parallel();
    void edits_of_one_file();
    void waits();
    double measure(const std::string& directory, int processes) const;

    const Options& options_;
    std::mt19937_64 random_;
    std::string scratch_;
    std::map<std::string, std::set<std::string>> accepted_;  // by agent
    int tokens_ = 0;
    int agents_ = 0;
    int count_ = 0;
    int failures_ = 0;
};

void Race::expect(bool holds, const std::string& what) {
    if (holds) return;
    ++failures_;
    if (failures_ <= 20) std::fprintf(stderr, "FAILED: %s\n", what.c_str());
}

Words Race::turn(const Call& call) const {
    Words words{options_.bin + "/chorus-run", call.agent, "--json", "-p", call.token};
    words.insert(words.end(), call.more.begin(), call.more.end());
    return words;
}

std::string Race::new_agent(const std::string& model) {
    const std::string name = "agent" + std::to_string(++agents_);
    const Finished ended = fault::run(
        {options_.bin + "/chorus-init", name, "--model", model, "--permissions", "sandboxed"},
        variables());
    if (ended.status != 0) give_up("chorus-init: " + ended.err);
    accepted_[name];
    return name;
}

void Race::judge(const Call& call, const Command& command) {
    const std::string what = call.agent + ": " + call.token + ": exit " +
                             std::to_string(command.status()) + ": " + command.err();
    for (const char* word : {"locked", "busy", "SQLITE"})
        expect(call.may_be_busy || command.err().find(word) == std::string::npos, what);
    if (command.status() == 0) {
        expect(accepted_[call.agent].insert(call.token).second, what + " (twice)");
        ++count_;
        return;
    }
    expect(call.may_be_busy && command.status() == busy_status, what);
}

// At most `width` of them at a time.
void Race::crowd(std::vector<Call> calls, std::size_t width) {
    struct Running {
        Call call;
        std::unique_ptr<Command> command;
    };
    std::shuffle(calls.begin(), calls.end(), random_);
    std::vector<Running> running;
    while (!calls.empty() || !running.empty()) {
        while (running.size() < width && !calls.empty()) {
            running.push_back(
                {calls.back(), std::make_unique<Command>(turn(calls.back()), variables())});
            calls.pop_back();
        }
        std::vector<pollfd> ends;
        for (const Running& one : running) ends.push_back({one.command->fd(), POLLIN, 0});
        poll(ends.data(), ends.size(), 100);
        std::erase_if(running, [&](const Running& one) {
            if (one.command->read_some()) return false;
            one.command->finish();
            judge(one.call, *one.command);
            return true;
        });
    }
}

// Once each, and turn by turn: a question is answered before the next one is asked.
void Race::check(const std::string& agent) {
    Database database(home() + "/chorus.db");
    std::multiset<std::string> stored;
    std::string thread;
    std::string waits_for;
    for (const auto& row : database.rows(
             "SELECT m.thread_id, m.role, m.content, m.turn_id FROM messages m JOIN agents a ON "
             "a.id = m.agent_id WHERE a.name = ? AND m.role <> 'tool_result' AND "
             "ifnull(m.tool_calls, '[]') = '[]' ORDER BY m.thread_id, m.id",
             {agent})) {
        if (row[1] == "user") stored.insert(row[2]);
        if (row[0] != thread) waits_for.clear();
        thread = row[0];
        expect(
            (row[1] == "user") == waits_for.empty() && (waits_for.empty() || waits_for == row[3]),
            agent + ": the turns of thread " + thread + " are mixed up at turn " + row[3]);
        waits_for = row[1] == "user" ? row[3] : "";
    }
    const auto& accepted = accepted_[agent];
    expect(stored == std::multiset<std::string>(accepted.begin(), accepted.end()),
           agent + ": " + std::to_string(accepted.size()) + " messages were accepted, " +
               std::to_string(stored.size()) + " are stored, or others");
    expect(database
               .rows("SELECT 1 FROM turns t JOIN agents a ON a.id = t.agent_id WHERE a.name = "
                     "? GROUP BY thread_id HAVING count(*) <> max(turn_number) OR "
                     "min(turn_number) <> 1 OR sum(state <> 'idle') > 0",
                     {agent})
               .empty(),
           agent + ": turn numbers with a gap, or turns that did not end");
}

void Race::check_home() {
    Database database(home() + "/chorus.db");
    expect(database.value("PRAGMA integrity_check") == "ok", "integrity_check");
    expect(database.rows("PRAGMA foreign_key_check").empty(), "foreign_key_check");
    expect(database.value("SELECT count(*) FROM agents WHERE status <> 'active'") == "0",
           "an agent is not whole");
    for (const auto& [agent, accepted] : accepted_) check(agent);
}

void Race::on_one_thread(std::size_t width) {
    const std::string agent = new_agent();
    std::vector<Call> calls;
    for (int i = 0; i < 128; ++i) calls.push_back({agent, new_token(), {"--wait"}});
    // these do not wait: they get in, or are told that they did not
    for (int i = 0; i < 8; ++i) calls.push_back({agent, new_token(), {}, true});
    crowd(std::move(calls), width);
}

void Race::on_many_threads() {
    const std::string agent = new_agent();
    std::vector<Call> calls;
    for (int i = 0; i < 16; ++i) calls.push_back({agent, new_token(), {"--new-thread"}});
    crowd(std::move(calls), 16);
    calls.clear();
    for (int i = 0; i < 128; ++i)
        calls.push_back({agent, new_token(), {"--wait", "-t", std::to_string(1 + random_() % 17)}});
    crowd(std::move(calls), 16);
}

void Race::on_many_agents() {
    std::vector<Call> calls;
    for (int i = 0; i < 8; ++i) {
        const std::string agent = new_agent();
        for (int k = 0; k < 16; ++k) calls.push_back({agent, new_token(), {"--wait"}});
    }
    crowd(std::move(calls), 16);
}

void Race::with_births_and_readers() {
    const std::string agent = new_agent();
    const std::string wanted = "agent" + std::to_string(++agents_);
    std::vector<std::unique_ptr<Command>> births;
    for (int i = 0; i < 8; ++i)
        births.push_back(std::make_unique<Command>(
            Words{options_.bin + "/chorus-init", wanted, "--model", "builtin/script"},
            variables()));
    std::vector<std::unique_ptr<Command>> readers;
    for (int i = 0; i < 8; ++i)
        readers.push_back(
            std::make_unique<Command>(turn({agent, "nothing", {"--dry-run"}}), variables()));
    std::vector<Call> calls;
    for (int i = 0; i < 64; ++i) calls.push_back({agent, new_token(), {"--wait"}});
    crowd(std::move(calls), 48);
    int born = 0;
    for (const auto& birth : births) {
        const int status = birth->finish();
        born += status == 0 ? 1 : 0;
        expect(status == 0 || status == exists_status,
               "chorus-init: exit " + std::to_string(status) + ": " + birth->err());
    }
    expect(born == 1, std::to_string(born) + " births of one name");
    for (const auto& reader : readers) expect(reader->finish() == 0, "a reader: " + reader->err());
    accepted_[wanted];
}

// Exit 75 names the process that has the thread.
void Race::busy_is_told() {
    const std::string agent = new_agent("anthropic/m");
    Json slow = say("slowly");
    slow["delay_ms"] = 1'500;
    const Server provider(beside_this_program("loopback"), scratch_ + "/provider",
                          Json::array({slow}));
    Variables around = variables();
    for (auto& variable : provider.variables()) around.push_back(variable);
    const std::string token = new_token();
    Command holder(turn({agent, token, {}}), around);
    const std::int64_t until_us = now_us() + 10'000'000;
    while (provider.requests().empty() && now_us() < until_us) usleep(2'000);
    std::vector<std::unique_ptr<Command>> others;
    for (int i = 0; i < 8; ++i)
        others.push_back(std::make_unique<Command>(turn({agent, "not taken", {}}), around));
    for (const auto& other : others) {
        const int status = other->finish();
        const Json result = Json::parse(other->out(), nullptr, false);
        const bool is_told = result.is_object() && result["error"]["code"] == "AGENT_BUSY" &&
                             other->err().find("process " + std::to_string(holder.pid()) +
                                               " (turn 1)") != std::string::npos;
        expect(status == busy_status && is_told,
               "busy: exit " + std::to_string(status) + ": " + other->err());
    }
    expect(holder.finish() == 0, "the turn that held the thread: " + holder.err());
    accepted_[agent].insert(token);
    ++count_;
}

// Eight turns whose model takes half a second each, on eight threads of one agent.
void Race::threads_are_parallel() {
    constexpr int threads = 8;
    constexpr int delay_ms = 500;
    const std::string agent = new_agent("anthropic/m");
    Json slow = say("slowly");
    slow["delay_ms"] = delay_ms;
    const Server provider(beside_this_program("loopback"), scratch_ + "/provider",
                          Json::array({slow}));
    Variables around = variables();
    for (auto& variable : provider.variables()) around.push_back(variable);
    const std::int64_t began_us = now_us();
    std::vector<std::unique_ptr<Command>> turns;
    for (int i = 0; i < threads; ++i) {
        const std::string token = new_token();
        turns.push_back(std::make_unique<Command>(turn({agent, token, {"--new-thread"}}), around));
        accepted_[agent].insert(token);
        ++count_;
    }
    for (const auto& turn : turns) expect(turn->finish() == 0, "a parallel turn: " + turn->err());
    const std::int64_t took_ms = (now_us() - began_us) / 1000;
    expect(took_ms < threads * delay_ms / 2,
           "eight threads took " + std::to_string(took_ms) + " ms, one after the other");
}

// Turns on eight threads edit one file, line by line.
void Race::edits_of_one_file() {
    constexpr int threads = 8;
    constexpr int edits = 10;
    const std::string agent = new_agent();
    const std::string workspace = home() + "/agents/" + agent + "/workspace/";
    std::string slots;
    for (int i = 0; i < threads * edits; ++i) slots += "open " + std::to_string(i) + ".\n";
    write_text(workspace + "slots.txt", slots);
    std::vector<Call> calls;
    for (int i = 0; i < threads; ++i) {
        std::string prompt = "edits " + std::to_string(i);
        for (int k = i * edits; k < (i + 1) * edits; ++k) {
            const std::string number = std::to_string(k);
            prompt += "\n/append_file " +
                      Json{{"path", "lines.txt"}, {"content", "line " + number + ".\n"}}.dump() +
                      "\n/str_replace " +
                      Json{{"path", "slots.txt"},
                           {"old_str", "open " + number + "."},
                           {"new_str", "done " + number + "."}}
                          .dump();
        }
        calls.push_back({agent, prompt, {"--new-thread"}});
    }
    crowd(std::move(calls), threads);
    const std::string replaced = read_text(workspace + "slots.txt");
    const std::string lines = read_text(workspace + "lines.txt");
    for (int i = 0; i < threads * edits; ++i) {
        const std::string line = "line " + std::to_string(i) + ".\n";
        const std::size_t at = lines.find(line);
        expect(at != std::string::npos && lines.find(line, at + 1) == std::string::npos,
               "the appended " + line + " is not there once");
        expect(replaced.find("done " + std::to_string(i) + ".\n") != std::string::npos,
               "the edit " + std::to_string(i) + " is lost");
    }
}

// The longer 99th percentile.
double Race::measure(const std::string& directory, int processes) const {
    const int duration_ms = options_.wait_seconds * 1000;
    const Waits gate = gate_waits(directory, processes, duration_ms);
    const Waits lock = lock_waits(directory + "/lock", processes, duration_ms, lock_hold_ms);
    std::printf("%d at the gate: %s\n%d at a lock held for %d ms: %s\n", processes,
                gate.text().c_str(), processes, lock_hold_ms, lock.text().c_str());
    return std::max(gate.ms(0.99), lock.ms(0.99));
}

void Race::waits() {
    // on a disk: there a commit takes as long as it does
    std::string directory = (fs::temp_directory_path() / "chorus-race-XXXXXX").string();
    if (mkdtemp(directory.data()) == nullptr) give_up(directory + ": cannot be made");
    bool is_short = false;
    // neighbours on the machine are no fault of the lock: one measurement of three must be without
    for (int tries = 0; tries < 3 && !is_short; ++tries)
        is_short = measure(directory, 16) < most_wait_ms;
    expect(is_short, "somebody waits too long");
    measure(directory, 64);
    fs::remove_all(directory);
}

int Race::run() {
    std::printf("seed %llu\n", static_cast<unsigned long long>(options_.seed));
    std::fflush(stdout);
    const std::int64_t began_us = now_us();
    busy_is_told();
    threads_are_parallel();
    const std::vector<std::function<void()>> kinds{
        [this] { on_one_thread(16); },         [this] { on_one_thread(64); },
        [this] { on_many_threads(); },         [this] { on_many_agents(); },
        [this] { with_births_and_readers(); }, [this] { edits_of_one_file(); }};
    for (std::size_t round = 0; count_ < options_.messages && failures_ == 0; ++round)
        kinds[round % kinds.size()]();
    check_home();
    const double seconds = static_cast<double>(now_us() - began_us) / 1e6;
    waits();
    std::printf("%d messages accepted in %.1f s by %d agents: %d failures\n", count_, seconds,
                static_cast<int>(accepted_.size()), failures_);
    return failures_ == 0 ? 0 : 1;
}

Options parse_options(int count, char** arguments) {
    Options options;
    for (int i = 1; i + 1 < count; i += 2) {
        const std::string name = arguments[i];
        const std::string value = arguments[i + 1];
        if (name == "--bin")
            options.bin = fs::absolute(value);
        else if (name == "--messages")
            options.messages = std::stoi(value);
        else if (name == "--seed")
            options.seed = std::stoull(value);
        else if (name == "--wait-seconds")
            options.wait_seconds = std::stoi(value);
        else
            give_up("unknown option " + name);
    }
    if (options.bin.empty()) give_up("--bin is needed: the directory of the executables");
    return options;
}

}  // namespace
}  // namespace fault

int main(int count, char** arguments) {
    const fault::Options options = fault::parse_options(count, arguments);
    return fault::Race(options).run();
}
