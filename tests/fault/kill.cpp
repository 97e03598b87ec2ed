// SIGKILL at the k-th system call of a turn, of what recovers it, of chorus-init; then the next
// command must find everything in order, without repair.
//
//   fault_kill --bin DIR [--seed N] [--points N] [--every]
//   fault_kill --bin DIR --phase turn --sandbox off --then resume --at 812
//   fault_kill --bin DIR --phase recovery --sandbox on --then work --at 1490,212,640
//   fault_kill --bin DIR --phase init --way adopt --then run --at 300
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

constexpr long turn_points = 560;
constexpr long recovery_points = 340;
constexpr long init_points = 150;
constexpr long least_killed = 980;
constexpr long least_killed_recovering = 200;
constexpr long soak_recovery_points = 34'000;

std::vector<long> numbers(const std::string& text) {
    std::vector<long> found;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, ',');) found.push_back(std::stol(word));
    return found;
}

void add(std::vector<std::string>& to, std::vector<std::string> more) {
    for (std::string& one : more) to.push_back(std::move(one));
}

Outcome kill_turn(World& world, const Point& point) {
    Outcome outcome;
    const std::vector<long> at = numbers(point.at("at"));
    const std::string& then = point.at("then");
    world.begin(point.at("sandbox") == "on" ? Sandbox::on : Sandbox::off);
    const Ended turn = world.say("work 1", at[0]);
    add(outcome.complaints, end_complaints(turn, "the turn"));
    add(outcome.complaints, secret_complaints(world));
    outcome.counted["killed"] += turn.killed ? 1 : 0;
    for (std::size_t i = 1; i < at.size(); ++i) {
        const Ended recovery = then == "resume" ? world.resume(at[i])
                                                : world.say("say " + std::to_string(i + 1), at[i]);
        add(outcome.complaints, end_complaints(recovery, "the recovery"));
        outcome.counted["killed"] += recovery.killed ? 1 : 0;
        outcome.counted["recovering"] += recovery.killed ? 1 : 0;
    }
    add(outcome.complaints, go_on(world, then));
    add(outcome.complaints, complaints(world));
    return outcome;
}

Outcome kill_init(World& world, const Point& point) {
    Outcome outcome;
    const BirthWay way = birth_way(point.at("way"));
    begin_birth(world, way);
    const Ended first = world.init(birth_arguments(world, way), std::stol(point.at("at")));
    outcome.counted["killed"] += first.killed ? 1 : 0;
    add(outcome.complaints, end_complaints(first, "chorus-init"));
    add(outcome.complaints, birth_complaints(world, way, point.at("then"), first));
    return outcome;
}

Outcome work(World& world, const Point& point) {
    return point.at("phase") == "init" ? kill_init(world, point) : kill_turn(world, point);
}

// How many calls there are to be killed at, by what is done.
struct Lengths {
    std::map<std::string, long> turn;  // by sandbox
    std::map<std::string, long> init;  // by way
};

Lengths measure(World& world) {
    Lengths lengths;
    for (const char* sandbox : {"off", "on"}) {
        world.begin(sandbox == std::string("on") ? Sandbox::on : Sandbox::off);
        Launch launch = world.turn_launch({"a", "-p", "work 1", "--output-format", "stream-json"});
        launch.counts = true;
        lengths.turn[sandbox] = world.run(launch, "work 1").calls;
    }
    for (const auto& [name, way] : birth_ways()) {
        begin_birth(world, way);
        lengths.init[name] = count_birth_calls(world, way);
    }
    return lengths;
}

// k from 1 to `most`, each once before any comes again.
class Shuffled {
  public:
    Shuffled(long most, Random& random) : random_(random) {
        for (long k = 1; k <= most; ++k) all_.push_back(k);
        next_ = all_.size();
    }
    long take() {
        if (next_ == all_.size()) {
            std::shuffle(all_.begin(), all_.end(), random_);
            next_ = 0;
        }
        return all_[next_++];
    }

  private:
    Random& random_;
    std::vector<long> all_;
    std::size_t next_ = 0;
};

const std::vector<std::string> thens = {"resume", "resume", "say", "work"};

std::vector<Point> sampled(const Lengths& lengths, long turns, long recoveries, long inits,
                           std::uint64_t seed) {
    Random random(seed);
    std::vector<Point> points;
    std::map<std::string, Shuffled> ks;
    for (const auto& [sandbox, most] : lengths.turn) ks.emplace(sandbox, Shuffled(most, random));
    for (const auto& [way, most] : lengths.init) ks.emplace("init " + way, Shuffled(most, random));
    const auto sandbox_of = [](long i) { return i % 4 == 0 ? "on" : "off"; };
    for (long i = 0; i < turns; ++i)
        points.push_back({{"phase", "turn"},
                          {"sandbox", sandbox_of(i)},
                          {"then", thens[random() % thens.size()]},
                          {"at", std::to_string(ks.at(sandbox_of(i)).take())}});
    for (long i = 0; i < recoveries; ++i) {
        const long most = lengths.turn.at(sandbox_of(i));
        // mostly where there is something to recover, and before the recovery has become a turn
        std::string at = std::to_string(
            most / 5 + static_cast<long>(random() % static_cast<unsigned long>(most * 4 / 5)));
        const long deaths = random() % 4 == 0 ? 3 : 1;
        for (long j = 0; j < deaths; ++j)
            at += "," + std::to_string(60 + random() % (random() % 4 == 0 ? 1'500 : 600));
        points.push_back({{"phase", "recovery"},
                          {"sandbox", sandbox_of(i)},
                          {"then", thens[random() % thens.size()]},
                          {"at", at}});
    }
    for (long i = 0; i < inits;)
        for (const auto& [way, most] : lengths.init)
            if (i++ < inits)
                points.push_back({{"phase", "init"},
                                  {"way", way},
                                  {"then", random() % 2 == 0 ? "again" : "run"},
                                  {"at", std::to_string(ks.at("init " + way).take())}});
    return points;
}

// Every k of every way to go on.
std::vector<Point> every(const Lengths& lengths, std::uint64_t seed) {
    std::vector<Point> points = sampled(lengths, 0, soak_recovery_points, 0, seed);
    for (const auto& [sandbox, most] : lengths.turn)
        for (const char* then : {"resume", "say", "work"})
            for (long k = 1; k <= most; ++k)
                points.push_back({{"phase", "turn"},
                                  {"sandbox", sandbox},
                                  {"then", then},
                                  {"at", std::to_string(k)}});
    for (const auto& [way, most] : lengths.init)
        for (const char* then : {"again", "run"})
            for (long k = 1; k <= most; ++k)
                points.push_back(
                    {{"phase", "init"}, {"way", way}, {"then", then}, {"at", std::to_string(k)}});
    return points;
}

void describe(const std::vector<Point>& points) {
    std::map<std::string, std::set<std::string>> distinct;
    std::map<std::string, long> count;
    for (const Point& point : points) {
        const std::string what =
            point.at("phase") + " " +
            (point.contains("way") ? point.at("way") : "sandbox " + point.at("sandbox"));
        ++count[what];
        distinct[what].insert(point.at("at"));
    }
    for (const auto& [what, number] : count) {
        std::vector<long> first;
        for (const std::string& at : distinct[what]) first.push_back(std::stol(at));
        const auto [least, most] = std::minmax_element(first.begin(), first.end());
        std::printf("  %-22s %6ld points, k from %ld to %ld, %zu different\n", what.c_str(), number,
                    *least, *most, distinct[what].size());
    }
}

int main_of(int argc, char** argv) {
    const Options options = parse(argc, argv, {"phase", "sandbox", "then", "at", "way"});
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const std::string directory = scratch_directory(argv[0]);
    const Programs programs{options.bin + "/chorus-run", options.bin + "/chorus-init"};
    const std::string prepared = directory + "/prepared";
    Lengths lengths;
    {
        World world(programs, directory + "/first", prepared);
        world.prepare();
        if (options.point.empty()) lengths = measure(world);
    }
    std::vector<Point> points = {options.point};
    if (options.point.empty()) {
        std::printf("seed %llu\n", static_cast<unsigned long long>(options.seed));
        const double scale = options.points == 0
                                 ? 1
                                 : static_cast<double>(options.points) /
                                       (turn_points + recovery_points + init_points);
        const auto scaled = [&](long figure) {
            return static_cast<long>(static_cast<double>(figure) * scale);
        };
        points = options.every ? every(lengths, options.seed)
                               : sampled(lengths, scaled(turn_points), scaled(recovery_points),
                                         scaled(init_points), options.seed);
        describe(points);
    }
    const bool own_figure = options.points != 0;
    run_points(argv[0], options, directory, points,
               [&](const std::string& own) {
                   auto world = std::make_shared<World>(programs, own, prepared);
                   return Worker{[world](const Point& point) { return work(*world, point); },
                                 [world](const std::string& path) { world->keep_as(path); }};
               },
               {{"killed", own_figure ? 0 : least_killed},
                {"recovering", own_figure ? 0 : least_killed_recovering}});
}

}  // namespace
}  // namespace fault

int main(int argc, char** argv) {
    return fault::run_suite(fault::main_of, argc, argv);
}
