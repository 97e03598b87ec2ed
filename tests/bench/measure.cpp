#include "measure.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <thread>

extern char** environ;

namespace bench {

int failures = 0;
fs::path scratch;
std::string bin;
std::string test_bin;

double now_ms() {
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

pid_t start(const Words& words) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    pid_t pid = 0;
    if (posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ) != 0) {
        std::fprintf(stderr, "bench: cannot start %s\n", arguments[0]);
        std::exit(1);
    }
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

Sample run(const Words& words) {
    const double begin = now_ms();
    const pid_t pid = start(words);
    int status = 0;
    rusage usage{};
    wait4(pid, &status, 0, &usage);
    Sample sample;
    sample.wall_ms = now_ms() - begin;
    const auto ms = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
    };
    sample.cpu_ms = ms(usage.ru_utime) + ms(usage.ru_stime);
    sample.peak_mib = static_cast<double>(usage.ru_maxrss) / 1024;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        std::fprintf(stderr, "bench: %s failed (%d)\n", words[0].c_str(), status);
        std::exit(1);
    }
    return sample;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

Sample median_of(const std::vector<Sample>& samples) {
    const auto part = [&](double Sample::*member) {
        std::vector<double> values;
        for (const Sample& sample : samples) values.push_back(sample.*member);
        return median(values);
    };
    return {part(&Sample::wall_ms), part(&Sample::cpu_ms), part(&Sample::peak_mib)};
}

Pair run_pairs(const Words& a, const Words& b, int count) {
    std::vector<Sample> as;
    std::vector<Sample> bs;
    std::vector<double> ratios;
    run(a);
    run(b);
    for (int i = 0; i < count; ++i) {
        as.push_back(run(a));
        bs.push_back(run(b));
        ratios.push_back(as.back().wall_ms / bs.back().wall_ms);
    }
    return {median_of(as), median_of(bs), median(ratios)};
}

Sample run_many(const Words& words, int count) {
    run(words);
    std::vector<Sample> samples;
    for (int i = 0; i < count; ++i) samples.push_back(run(words));
    return median_of(samples);
}

namespace {
double scale = 1;
}

void scale_to_floor(double measured_ms) {
    constexpr double reference_ms = 8;
    scale = std::min(1.0, reference_ms / measured_ms);
    if (scale < 1)
        std::printf("  times and rates from here on are scaled by %.2f, to a floor of 8 ms\n",
                    scale);
}

void report(const char* what, double value, const char* unit, double limit, bool at_least) {
    const std::string_view measured = unit;
    if (measured == "ms" || measured == "s") value *= scale;
    if (measured == "/s") value /= scale;
    const bool holds = at_least ? value >= limit : value <= limit;
    if (!holds) ++failures;
    std::printf("%-58s %8.2f %-6s %s %.2f  %s\n", what, value, unit, at_least ? ">=" : "<=", limit,
                holds ? "ok" : "NOT MET");
    std::fflush(stdout);
}

void sql(const fs::path& database, const std::string& statements) {
    sqlite3* handle = nullptr;
    sqlite3_open(database.c_str(), &handle);
    char* message = nullptr;
    if (sqlite3_exec(handle, statements.c_str(), nullptr, nullptr, &message) != SQLITE_OK) {
        std::fprintf(stderr, "bench: %s\n", message);
        std::exit(1);
    }
    sqlite3_close(handle);
}

Server::Server(Words more) {
    const fs::path port_file = scratch / "port";
    fs::remove(port_file);
    Words words{test_bin + "/loopback", "--port-file", port_file};
    if (more.empty() || more.front() != "--script") words.insert(words.end(), {"--fast", "hello"});
    words.insert(words.end(), more.begin(), more.end());
    pid_ = start(words);
    for (int tries = 0; tries < 500 && !fs::exists(port_file); ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::ifstream(port_file) >> port_;
}

Server::~Server() {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
}

std::string home_of(const std::string& name) {
    return (scratch / name).string();
}

void new_home(const std::string& name, const std::string& model, const Words& more) {
    setenv("CHORUS_HOME", home_of(name).c_str(), 1);
    Words words{bin + "/chorus-init", "a", "--model", model, "--permissions", "open"};
    words.insert(words.end(), more.begin(), more.end());
    run(words);
}

}  // namespace bench
