#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "measure.hpp"

namespace bench {
namespace {

constexpr int turns = 240;

// Of one run of many turns: sync_clock.so adds up the time each process waits for the disk.
struct Cost {
    double turns_per_s = 0;
    double sync_share = 0;  // of the processes' wall time
    double syncs_per_turn = 0;
};

struct Waited {
    double ms = 0;
    double calls = 0;
};

// The clock appends a line "ms calls" for each process.
Waited read_clock(const fs::path& file) {
    Waited all;
    std::ifstream lines(file);
    for (Waited one; lines >> one.ms >> one.calls;) {
        all.ms += one.ms;
        all.calls += one.calls;
    }
    return all;
}

Cost run_turns(int at_once) {
    const fs::path clock = scratch / "sync-clock";
    fs::remove(clock);
    setenv("SYNC_CLOCK", clock.c_str(), 1);
    const std::string preload = "LD_PRELOAD=" + test_bin + "/libsync_clock.so";
    std::vector<std::thread> workers;
    std::vector<double> walls(static_cast<std::size_t>(at_once));
    const double begin = now_ms();
    for (int i = 1; i <= at_once; ++i)
        workers.emplace_back([&, i] {
            for (int k = 0; k < turns / at_once; ++k)
                walls[static_cast<std::size_t>(i - 1)] +=
                    run({"env", preload, bin + "/chorus-run", "a", "-t", std::to_string(i),
                         "--fresh", "say hello"})
                        .wall_ms;
        });
    for (std::thread& worker : workers) worker.join();
    const double seconds = (now_ms() - begin) / 1000;
    unsetenv("SYNC_CLOCK");
    double wall = 0;
    for (const double one : walls) wall += one;
    const Waited waited = read_clock(clock);
    return {turns / seconds, waited.ms / wall, waited.calls / turns};
}

void tell(const char* where, const Cost& cost) {
    std::printf("  %s: %.1f syncs a turn, %.0f %% of its wall time\n", where, cost.syncs_per_turn,
                100 * cost.sync_share);
}

}  // namespace

void durability() {
    const Server server;
    setenv("CHORUS_ANTHROPIC_BASE_URL", ("http://127.0.0.1:" + server.port()).c_str(), 1);
    new_home("durable", "anthropic/bench");
    for (int i = 2; i <= 16; ++i) run({bin + "/chorus-run", "a", "--new-thread", "-q", "begin"});
    const Cost one = run_turns(1);
    tell("one thread", one);
    report("turns per second, one thread", one.turns_per_s, "/s", 60, true);
    const Cost many = run_turns(16);
    tell("16 threads", many);
    report("turns per second, 16 threads of one agent", many.turns_per_s, "/s", 120, true);
}

}  // namespace bench
