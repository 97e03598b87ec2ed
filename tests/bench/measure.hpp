// What the benches share: whole processes, timed; a home and a server to run them against.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace bench {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct Sample {
    double wall_ms = 0;
    double cpu_ms = 0;
    double peak_mib = 0;
};

extern int failures;  // figures that did not hold
extern fs::path scratch;
extern std::string bin;
extern std::string test_bin;

double now_ms();
pid_t start(const Words& words);
// Ends the bench where the process fails.
Sample run(const Words& words);
double median(std::vector<double> values);
Sample median_of(const std::vector<Sample>& samples);

// A B A B …: a comparison holds when the machine's speed drifts.
struct Pair {
    Sample a;
    Sample b;
    double ratio = 0;
};
Pair run_pairs(const Words& a, const Words& b, int count);
Sample run_many(const Words& words, int count);
// The bounds are those of a machine whose floor takes 8 ms: what a slower one measures is scaled to
// it, where it depends on the machine.
void scale_to_floor(double measured_ms);
void report(const char* what, double value, const char* unit, double limit, bool at_least = false);
void sql(const fs::path& database, const std::string& statements);

// The loopback provider, which answers at once; with --script first, what the script says.
class Server {
  public:
    explicit Server(Words more = {});
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    const std::string& port() const { return port_; }

  private:
    pid_t pid_ = 0;
    std::string port_;
};

std::string home_of(const std::string& name);
// A home with one agent whose model is `model`; CHORUS_HOME points to it.
void new_home(const std::string& name, const std::string& model, const Words& more = {});

// history.cpp: what it costs to read what is on record.
void history(int count);
// A home of so many agents that have been idle for two hours, each with a window.
void make_idle_home(const std::string& name, int agents);

// subagents.cpp: what a sub-agent costs.
void sub_agents(int count);

// durability.cpp: what it costs that nothing is lost.
void durability();
// stream.cpp: what of an answer's time is ours.
void streaming(int count);

}  // namespace bench
