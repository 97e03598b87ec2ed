// The k-th call fails, once or from then on: a system call under strace, an allocation, or stdout.
// No crash, no false word, and the next command finds everything in order.
//
//   fault_calls --bin DIR [--seed N] [--points N] [--every]
//   fault_calls --bin DIR --command turn --call openat --error EIO --when 31+ --then resume
//   fault_calls --bin DIR --command init --call malloc --when 812 --then again
//   fault_calls --bin DIR --command turn --call stdout --when full --format json --then say
// A resume begins where a turn was killed: --killed-at 1300.
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <set>
#include <sstream>

#include "fault/births.hpp"
#include "fault/checker.hpp"
#include "fault/suite.hpp"
#include "fault/world.hpp"

namespace fault {
namespace {

namespace fs = std::filesystem;

using Random = std::mt19937_64;

constexpr long least_points = 1000;
constexpr long call_points = 540;
constexpr long malloc_points = 390;
constexpr long stdout_points = 80;
constexpr long soak_points = 30'000;

// Calls that fail alike, and how.
struct Kind {
    std::vector<std::string> calls;
    std::vector<std::string> errors;
};
const std::vector<Kind> kinds = {
    {{"openat", "openat2"}, {"EIO", "ENOSPC", "EMFILE", "EACCES", "ENOMEM", "EINTR"}},
    {{"read", "pread64"}, {"EIO", "EINTR"}},
    {{"write", "pwrite64"}, {"EIO", "ENOSPC", "EINTR"}},
    {{"fsync", "fdatasync", "syncfs"}, {"EIO", "ENOSPC", "EINTR"}},
    {{"rename", "renameat", "renameat2", "link"}, {"EIO", "ENOSPC", "EACCES"}},
    {{"unlink", "unlinkat", "rmdir"}, {"EIO", "EACCES"}},
    {{"mkdir", "mkdirat", "symlink"}, {"EIO", "ENOSPC", "EACCES"}},
    {{"ftruncate", "fchmod", "newfstatat"}, {"EIO", "EACCES", "ENOMEM"}},
    {{"mmap"}, {"ENOMEM"}},
    {{"pipe2", "socket", "socketpair", "eventfd2"}, {"EMFILE", "ENOMEM"}},
    {{"clone3"}, {"EAGAIN", "ENOMEM"}},
    {{"connect"}, {"ECONNREFUSED", "EINTR", "ENOMEM"}},
    {{"recvfrom", "sendto"}, {"EIO", "ECONNRESET", "EINTR", "ENOMEM"}},
};
const std::vector<std::string> commands = {"turn", "turn", "turn", "resume", "init"};
const std::vector<std::string> formats = {"text", "json", "stream-json"};

void add(std::vector<std::string>& to, std::vector<std::string> more) {
    for (std::string& one : more) to.push_back(std::move(one));
}

class Calls {
  public:
    Calls(World& world, std::string preloaded) : world_(world), preloaded_(std::move(preloaded)) {}

    Outcome run(const Point& point) {
        Outcome outcome;
        const std::string& command = point.at("command");
        if (command == "init")
            begin_birth(world_, BirthWay::fresh);
        else
            world_.begin(Sandbox::off);
        if (command == "resume") world_.say("work 1", std::stol(point.at("killed-at")));
        const std::size_t before = world_.witness().finished.size();
        fs::remove(trace_path());
        const Ended ended = world_.run(harmed(point), command == "turn" ? "work 1" : "");
        const bool looked_in_vain = command == "resume" && has_failed_on_workspace();
        add(outcome.complaints, end_complaints(ended, "the " + command));
        check_words(point, ended, outcome);
        const bool told_end = world_.witness().finished.size() > before;
        const bool is_stream = point.at("call") != "stdout" && command == "turn";
        if (ended.status == 0 && is_stream && !told_end)
            outcome.complaints.push_back("exit status 0 without a last word: " + world_.out());
        if (command == "init") {
            add(outcome.complaints,
                birth_complaints(world_, BirthWay::fresh, point.at("then"), ended));
        } else {
            add(outcome.complaints, go_on(world_, point.at("then")));
            add(outcome.complaints, complaints(world_));
        }
        // what could not be removed once may stay
        if (point.at("call").rfind("unlink", 0) == 0)
            std::erase_if(outcome.complaints, [](const std::string& complaint) {
                return complaint.rfind("left behind: ", 0) == 0 ||
                       complaint.rfind("in the workspace: ", 0) == 0;
            });
        if (looked_in_vain)
            std::erase_if(outcome.complaints, [](const std::string& complaint) {
                return complaint.ends_with(could_be_found_out);
            });
        return outcome;
    }

    // The occurrences of each call of a command since its main began, and all there are with those
    // of the loader.
    struct Counts {
        std::map<std::string, long> before;
        std::map<std::string, long> all;
    };
    Counts count(const std::string& command) {
        if (command == "init")
            begin_birth(world_, BirthWay::fresh);
        else
            world_.begin(Sandbox::off);
        if (command == "resume") world_.say("work 1", 700);
        const std::string trace = trace_path();
        Launch launch = plain(command, "stream-json");
        launch.arguments.insert(launch.arguments.begin(), {"/usr/bin/strace", "-qq", "-o", trace});
        world_.run(launch, "");
        Counts counts;
        std::istringstream lines(contents(trace));
        bool in_main = false;
        for (std::string line; std::getline(lines, line);) {
            // what run_main does first
            in_main = in_main || line.rfind("fcntl(0, F_GETFD)", 0) == 0;
            const std::string name = line.substr(0, line.find('('));
            ++counts.all[name];
            if (!in_main) ++counts.before[name];
        }
        counts.all["malloc"] = count_allocations(command);
        return counts;
    }

  private:
    std::string trace_path() const { return world_.directory() + "/trace"; }

    // Whether the call was made to fail on what the tools had changed, on the socket of
    // chorus-git, which looks at it, or on the stack from which posix_spawn() starts that;
    // the path may begin at an open "/".
    bool has_failed_on_workspace() const {
        // the stack of a thread has PROT_NONE first
        constexpr std::string_view stack_of_a_spawn =
            "PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS|MAP_STACK";
        std::istringstream lines(contents(trace_path()));
        for (std::string line; std::getline(lines, line);)
            if (line.find("(INJECTED)") != std::string::npos &&
                (line.find(world_.workspace().substr(1)) != std::string::npos ||
                 line.find("<UNIX-") != std::string::npos ||
                 line.find(stack_of_a_spawn) != std::string::npos))
                return true;
        return false;
    }

    Launch plain(const std::string& command, const std::string& format) const {
        if (command == "init") {
            Launch launch = world_.turn_launch(birth_arguments(world_, BirthWay::fresh));
            launch.arguments[0] = world_.programs().init;
            if (format != "text") launch.arguments.emplace_back("--json");
            return launch;
        }
        const std::vector<std::string> what = command == "resume"
                                                  ? std::vector<std::string>{"a", "--resume"}
                                                  : std::vector<std::string>{"a", "-p", "work 1"};
        Launch launch = world_.turn_launch(what);
        launch.arguments.insert(launch.arguments.end(), {"--output-format", format});
        return launch;
    }

    Launch harmed(const Point& point) const {
        const std::string& call = point.at("call");
        const std::string& when = point.at("when");
        const auto format = point.find("format");
        Launch launch =
            plain(point.at("command"), format == point.end()           ? "stream-json"
                                       : point.at("command") == "init" ? "text"
                                                                       : format->second);
        if (call == "malloc") {
            launch.environment.push_back("LD_PRELOAD=" + preloaded_);
            launch.environment.push_back("FAULT_MALLOC=" + when);
        } else if (call == "stdout") {
            launch.out_path = when == "closed" ? "" : when == "full" ? "/dev/full" : "|";
        } else {
            launch.arguments.insert(
                launch.arguments.begin(),
                {"/usr/bin/strace", "-qq", "-yy", "-o", trace_path(), "-e", "trace=" + call, "-e",
                 "signal=none", "-e",
                 "inject=" + call + ":error=" + point.at("error") + ":when=" + when});
        }
        return launch;
    }

    long count_allocations(const std::string& command) {
        if (command == "init")
            begin_birth(world_, BirthWay::fresh);
        else
            world_.begin(Sandbox::off);
        if (command == "resume") world_.say("work 1", 700);
        const std::string report = world_.directory() + "/count";
        Launch launch = plain(command, "stream-json");
        launch.environment.push_back("LD_PRELOAD=" + preloaded_);
        launch.environment.push_back("FAULT_MALLOC_COUNT=" + report);
        world_.run(launch, "");
        return std::stol("0" + contents(report));
    }

    void check_words(const Point& point, const Ended& ended, Outcome& outcome) const {
        const std::string program = point.at("command") == "init" ? "chorus-init" : "chorus-run";
        const std::string said = world_.err();
        std::istringstream lines(said);
        bool told = false;
        for (std::string line; std::getline(lines, line);) {
            std::string rest = line;
            // what a library says of itself while it is loaded
            bool known = line.rfind("Error in GnuTLS initialization", 0) == 0;
            for (const char* kind : {"error", "hint", "notice", "warning", "waits"}) {
                const std::string head = program + ": " + kind + ": ";
                if (line.rfind(head, 0) != 0) continue;
                known = true;
                told = told || std::string_view(kind) == "error" ||
                       std::string_view(kind) == "warning";
            }
            if (!known || line.find("internal") != std::string::npos ||
                line.find("terminate") != std::string::npos)
                outcome.complaints.push_back("on stderr: " + line);
        }
        // where nothing can be written any more, nothing can be said
        const bool can_say = point.at("call") != "write";
        // a program that is no turn has printed all it had to, and ends as SIGPIPE ends programs
        const bool is_broken_pipe = point.at("call") == "stdout" && point.at("when") == "pipe" &&
                                    ended.status == 128 + SIGPIPE;
        if (is_broken_pipe && program != "chorus-run") return;
        if (ended.status != 0 && !told && can_say)
            outcome.complaints.push_back("exit status " + std::to_string(ended.status) +
                                         " without a word");
        if (point.at("call") == "stdout" && ended.status != 1)
            outcome.complaints.push_back("stdout " + point.at("when") + ": exit status " +
                                         std::to_string(ended.status));
    }

    World& world_;
    std::string preloaded_;
};

using Measured = std::map<std::string, Calls::Counts>;

std::string then_for(const std::string& command, Random& random) {
    if (command == "init") return random() % 2 == 0 ? "again" : "run";
    static const std::vector<std::string> thens = {"resume", "say", "work"};
    return thens[random() % thens.size()];
}

Point begun(const std::string& command, Random& random) {
    Point point = {{"command", command}, {"then", then_for(command, random)}};
    if (command == "resume") point["killed-at"] = std::to_string(600 + random() % 1'600);
    return point;
}

// The kinds in turn, the calls of one in turn where a command makes them, k at random.
std::vector<Point> call_points_of(const Measured& measured, long number, Random& random) {
    std::vector<Point> points;
    for (std::size_t i = 0; static_cast<long>(points.size()) < number; ++i) {
        const Kind& kind = kinds[i % kinds.size()];
        Point point = begun(commands[random() % commands.size()], random);
        const Calls::Counts& counts = measured.at(point["command"]);
        const std::string& call = kind.calls[random() % kind.calls.size()];
        const auto all = counts.all.find(call);
        if (all == counts.all.end()) continue;
        const auto loader = counts.before.find(call);
        const long before = loader == counts.before.end() ? 0 : loader->second;
        if (all->second == before) continue;
        const long k =
            before + 1 +
            static_cast<long>(random() % static_cast<unsigned long>(all->second - before));
        point["call"] = call;
        point["error"] = kind.errors[random() % kind.errors.size()];
        // a signal comes and goes: whoever makes the call again is right
        const bool for_ever = point["error"] != "EINTR" && random() % 2 == 0;
        point["when"] = std::to_string(k) + (for_ever ? "+" : "");
        points.push_back(std::move(point));
    }
    return points;
}

std::vector<Point> malloc_points_of(const Measured& measured, long number, Random& random) {
    std::vector<Point> points;
    for (const std::string& command : commands) {
        Point point = begun(command, random);
        point["call"] = "malloc";
        point["when"] = "1+";  // as early as it can be, in every command
        points.push_back(std::move(point));
    }
    for (long i = static_cast<long>(points.size()); i < number; ++i) {
        Point point = begun(commands[random() % commands.size()], random);
        const auto most =
            static_cast<unsigned long>(measured.at(point["command"]).all.at("malloc"));
        point["call"] = "malloc";
        point["when"] = std::to_string(1 + random() % most) + (random() % 2 == 0 ? "+" : "");
        points.push_back(std::move(point));
    }
    return points;
}

std::vector<Point> stdout_points_of(long number, Random& random) {
    std::vector<Point> points;
    for (long i = 0; i < number; ++i) {
        Point point = begun(commands[random() % commands.size()], random);
        point["call"] = "stdout";
        point["when"] =
            std::vector<std::string>{"closed", "full", "pipe"}[static_cast<std::size_t>(i) % 3];
        point["format"] = formats[random() % formats.size()];
        points.push_back(std::move(point));
    }
    return points;
}

int main_of(int argc, char** argv) {
    const Options options =
        parse(argc, argv, {"command", "call", "error", "when", "then", "killed-at", "format"});
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const std::string directory = scratch_directory(argv[0]);
    const Programs programs{options.bin + "/chorus-run", options.bin + "/chorus-init"};
    const std::string prepared = directory + "/prepared";
    const std::string preloaded =
        fs::canonical("/proc/self/exe").parent_path().string() + "/libfault_malloc.so";
    if (!fs::exists(preloaded)) throw std::runtime_error(preloaded + " is missing");
    std::vector<Point> points = {options.point};
    {
        World world(programs, directory + "/first", prepared);
        world.prepare();
        if (options.point.empty()) {
            std::printf("seed %llu\n", static_cast<unsigned long long>(options.seed));
            Measured measured;
            Calls calls(world, preloaded);
            for (const std::string& command : commands)
                if (!measured.contains(command)) measured[command] = calls.count(command);
            const double scale =
                static_cast<double>(options.every ? soak_points
                                    : options.points != 0
                                        ? options.points
                                        : call_points + malloc_points + stdout_points) /
                (call_points + malloc_points + stdout_points);
            const auto scaled = [&](long figure) {
                return static_cast<long>(static_cast<double>(figure) * scale);
            };
            Random random(options.seed);
            points = call_points_of(measured, scaled(call_points), random);
            for (Point& point : malloc_points_of(measured, scaled(malloc_points), random))
                points.push_back(std::move(point));
            for (Point& point : stdout_points_of(scaled(stdout_points), random))
                points.push_back(std::move(point));
            std::map<std::string, std::set<std::string>> whens;
            std::map<std::string, long> number;
            for (const Point& point : points) {
                ++number[point.at("call")];
                whens[point.at("call")].insert(point.at("when"));
            }
            for (const auto& [call, many] : number)
                std::printf("  %-12s %6ld points, %zu different\n", call.c_str(), many,
                            whens[call].size());
        }
    }
    run_points(argv[0], options, directory, points,
               [&](const std::string& own) {
                   auto world = std::make_shared<World>(programs, own, prepared);
                   return Worker{[world, preloaded](const Point& point) {
                                     return Calls(*world, preloaded).run(point);
                                 },
                                 [world](const std::string& path) { world->keep_as(path); }};
               },
               {{"points", options.points != 0 ? 0 : least_points}});
}

}  // namespace
}  // namespace fault

int main(int argc, char** argv) {
    return fault::run_suite(fault::main_of, argc, argv);
}
