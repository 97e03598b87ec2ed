// An agent whose turn and whose tasks run what does not want to end is destroyed, and no process is
// left: each that escapes from its parents becomes a child of this program.
//
//   fault_escape --bin DIR [--seed N] [--points N] [--every]
//   fault_escape --bin DIR --sandbox off --turn deaf --tasks flees --number 3
//
// --every: 300 agents.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "fault/checker.hpp"
#include "fault/database.hpp"
#include "fault/suite.hpp"
#include "fault/world.hpp"

namespace fault {
namespace {

constexpr long points_of_a_run = 30;
constexpr long every_point = 300;

// What leaves something behind that nobody waits for.
const std::map<std::string, std::string> escapes = {
    {"session", "setsid sleep 600 &"},
    {"twice", "(setsid bash -c '(sleep 600 &); exec sleep 600' &)"},
    {"deaf", "(trap \"\" TERM HUP INT QUIT; sleep 600; sleep 600) &"},
    {"apart", "(trap \"\" TERM; setsid -f bash -c 'trap \"\" TERM; while :; do sleep 600; done')"},
    {"closed", "setsid sleep 600 </dev/null >/dev/null 2>&1 & exec >/dev/null 2>&1"},
    {"stopped", "setsid bash -c 'sleep 600 & kill -STOP $! $$' &"},
    {"flees", "flee() { (sleep 0.02; flee) & }; setsid bash -c \"$(declare -f flee); flee\" &"},
};

class Escape {
  public:
    Escape(Programs programs, const std::string& directory, std::string bin)
        : world_(std::move(programs), directory, directory + "/unused"), bin_(std::move(bin)) {}

    Outcome work(const Point& point) {
        Outcome outcome;
        begin(point.at("sandbox"));
        const std::string turn = escapes.at(point.at("turn"));
        const std::string tasks = escapes.at(point.at("tasks"));
        const bool is_deaf = std::stol(point.at("number")) % 4 == 3;
        // the turn ends by itself, or has too much time for that
        start(outcome, "chorus-run", {"a", "-p", turn_text(turn, tasks)},
              is_deaf ? "60s" : "100ms");
        start(outcome, "chorus-tasks",
              {"run", "a", "--on-exit", "go on", "--run", "--",
               tasks + "\n touch by-hand; sleep 600"},
              "100ms");
        for (const char* mark : {"by-turn", "by-hand", "in-turn"})
            if (!appears(mark)) outcome.complaints.push_back(std::string(mark) + " did not begin");

        Launch destroy = launch("chorus-destroy", {"a", "--yes"}, "100ms");
        destroy.is_left_alone = true;
        const Ended ended = world_.run(std::move(destroy), "");
        if (ended.status != 0) outcome.complaints.push_back("chorus-destroy: " + world_.err());
        check_processes(outcome);
        for (std::string& complaint : home_complaints(world_))
            outcome.complaints.push_back(std::move(complaint));
        Database database(world_.home() + "/chorus.db");
        if (database.value(
                "SELECT count(*) FROM tasks WHERE ended_at IS NULL OR status = 'lost'") != "0")
            outcome.complaints.push_back("a task has not ended, or nobody knows how");
        if (database.value("SELECT count(*) FROM tasks") != "2")
            outcome.complaints.push_back("there were not two tasks");
        outcome.counted["destroyed"] += ended.status == 0 ? 1 : 0;
        return outcome;
    }

    void keep_as(const std::string& path) const { world_.keep_as(path); }

  private:
    void begin(const std::string& sandbox) {
        world_.begin_empty();
        if (world_.init({"a", "--model", "builtin/script", "--permissions", "open"}).status != 0)
            throw std::runtime_error("chorus-init: " + world_.err());
        write(world_.home() + "/config.json",
              "{\"sandbox\": \"" + std::string(sandbox == "on" ? "workspace" : "off") + "\"}");
    }

    // A task, and then a command that the turn waits for.
    static std::string turn_text(const std::string& escape, const std::string& of_task) {
        const Json task = {{"command", of_task + "\n touch by-turn; sleep 600"},
                           {"background", true}};
        const Json command = {{"command", escape + "\n touch in-turn; sleep 600"},
                              {"timeout", 600}};
        return "/bash " + task.dump() + "\n/bash " + command.dump();
    }

    Launch launch(const std::string& program, const std::vector<std::string>& arguments,
                  const std::string& patience) const {
        Launch launch = world_.turn_launch(arguments);
        launch.arguments[0] = bin_ + "/" + program;
        launch.environment.push_back("CHORUS_DRAIN_TIMEOUT_MS=" + patience);
        launch.environment.push_back("CHORUS_SHUTDOWN_TIMEOUT_MS=" + patience);
        return launch;
    }

    // In the background, a child of this program once the shell that began it has ended.
    void start(Outcome& outcome, const std::string& program,
               const std::vector<std::string>& arguments, const std::string& patience) {
        Launch begun = launch(program, arguments, patience);
        const std::vector<std::string> shell = {"/bin/bash", "-c", "\"$@\" & :", "bash"};
        begun.arguments.insert(begun.arguments.begin(), shell.begin(), shell.end());
        begun.out_path = world_.directory() + "/" + program + ".out";
        begun.err_path = world_.directory() + "/" + program + ".err";
        begun.is_left_alone = true;
        if (fault::launch(begun).status != 0) outcome.complaints.push_back(program);
    }

    bool appears(const std::string& name) const {
        for (int tries = 0; tries < 1'000; ++tries) {
            if (std::ifstream(world_.workspace() + "/" + name).good()) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }

    static std::vector<pid_t> children() {
        const std::string self = std::to_string(getpid());
        std::ifstream list("/proc/" + self + "/task/" + self + "/children");
        std::vector<pid_t> pids;
        for (pid_t pid = 0; list >> pid;) pids.push_back(pid);
        return pids;
    }
    static void reap() {
        while (waitpid(-1, nullptr, WNOHANG) > 0) continue;
    }

    // Who has told the end on record is given a moment to be gone.
    static void check_processes(Outcome& outcome) {
        for (int tries = 0; tries < 200 && !children().empty(); ++tries) {
            reap();
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        for (const pid_t pid : children()) {
            std::string line = contents("/proc/" + std::to_string(pid) + "/cmdline");
            for (char& c : line)
                if (c == '\0') c = ' ';
            outcome.complaints.push_back("left: " + std::to_string(pid) + " " + line);
        }
        // not into the next point
        while (!children().empty()) {
            for (const pid_t pid : children()) kill(pid, SIGKILL);
            reap();
        }
    }

    World world_;
    std::string bin_;
};

std::vector<Point> points_for(const Options& options) {
    std::mt19937_64 random(options.seed);
    const auto any = [&random] {
        auto found = escapes.begin();
        std::advance(found, static_cast<long>(random() % escapes.size()));
        return found->first;
    };
    const long count = options.every        ? every_point
                       : options.points > 0 ? options.points
                                            : points_of_a_run;
    std::vector<Point> points;
    for (long number = 0; number < count; ++number)
        points.push_back({{"sandbox", number % 2 == 0 ? "off" : "on"},
                          {"turn", any()},
                          {"tasks", any()},
                          {"number", std::to_string(random() % 1'000)}});
    return points;
}

int main_of(int argc, char** argv) {
    const Options options = parse(argc, argv, {"sandbox", "turn", "tasks", "number"});
    const std::string directory = scratch_directory(argv[0]);
    const Programs programs{options.bin + "/chorus-run", options.bin + "/chorus-init"};
    std::vector<Point> points = {options.point};
    if (options.point.empty()) {
        std::printf("seed %llu\n", static_cast<unsigned long long>(options.seed));
        points = points_for(options);
    }
    const long least = static_cast<long>(points.size());
    run_points(argv[0], options, directory, points,
               [&](const std::string& own) {
                   auto escape = std::make_shared<Escape>(programs, own, options.bin);
                   return Worker{[escape](const Point& point) { return escape->work(point); },
                                 [escape](const std::string& path) { escape->keep_as(path); }};
               },
               {{"destroyed", least}});
}

}  // namespace
}  // namespace fault

int main(int argc, char** argv) {
    return fault::run_suite(fault::main_of, argc, argv);
}
