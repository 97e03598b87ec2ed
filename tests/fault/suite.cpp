#include "fault/suite.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>

namespace fault {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void usage(const std::string& program, const std::vector<std::string>& of_point) {
    std::string text =
        "usage: " + program + " --bin DIR [--seed N] [--points N] [--every] [--workers N]";
    for (const std::string& name : of_point) text += " [--" + name + " X]";
    std::fprintf(stderr, "%s\n", text.c_str());
    std::exit(2);
}

std::uint64_t seed_of_now() {
    struct timespec now {};
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1000 +
           static_cast<std::uint64_t>(now.tv_nsec) / 1000000;
}

// In one write, so that two workers do not mix.
void print(const std::string& text) {
    [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
}

// What a worker hands back is a file: a name and a number a line.
void write_sums(const std::string& path, const std::map<std::string, long>& sums) {
    std::ofstream file(path);
    for (const auto& [name, sum] : sums) file << name << ' ' << sum << '\n';
}

// The workers, and what they have counted.
class Crew {
  public:
    Crew(std::string program, std::string directory, int workers)
        : program_(std::move(program)), directory_(std::move(directory)), workers_(workers) {}
    std::map<std::string, long>& counted() { return counted_; }

    // False where a point failed.
    bool run(const std::vector<Point>& points,
             const std::function<Worker(const std::string& directory)>& prepare) {
        std::fflush(stdout);
        std::vector<pid_t> pids;
        for (int number = 0; number < workers_; ++number) {
            const std::string directory = directory_ + "/worker-" + std::to_string(number);
            fs::create_directories(directory);
            const pid_t pid = fork();
            if (pid > 0) pids.push_back(pid);
            if (pid != 0) continue;
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            prctl(PR_SET_CHILD_SUBREAPER, 1);
            std::map<std::string, long> sums;
            const Worker worker = prepare(directory);
            for (std::size_t i = static_cast<std::size_t>(number); i < points.size();
                 i += static_cast<std::size_t>(workers_)) {
                Outcome outcome;
                try {
                    outcome = worker.work(points[i]);
                } catch (const std::exception& error) {
                    outcome.complaints.push_back(error.what());
                }
                ++sums["points"];
                for (const auto& [name, count] : outcome.counted) sums[name] += count;
                if (outcome.complaints.empty()) continue;
                const std::string kept = directory_ + "/failed-" + std::to_string(i);
                worker.keep(kept);
                std::string text = "FAILED: " + command(program_, points[i]) + "\n";
                for (const std::string& complaint : outcome.complaints)
                    text += "  " + complaint + "\n";
                print(text + "  kept in " + kept + "\n");
                if (++sums["failed"] == 20) {
                    print("twenty failures are enough\n");
                    break;
                }
            }
            write_sums(directory + "/sums", sums);
            _exit(0);
        }
        bool whole = true;
        for (const pid_t pid : pids) {
            int status = 0;
            waitpid(pid, &status, 0);
            whole = whole && WIFEXITED(status) && WEXITSTATUS(status) == 0;
        }
        if (!whole) print("FAILED: a worker died\n");
        for (int number = 0; number < workers_; ++number) {
            std::ifstream file(directory_ + "/worker-" + std::to_string(number) + "/sums");
            std::string name;
            for (long sum = 0; file >> name >> sum;) counted_[name] += sum;
        }
        return whole && counted_["failed"] == 0;
    }

  private:
    std::string program_;
    std::string directory_;
    int workers_;
    std::map<std::string, long> counted_;
};

}  // namespace

Options parse(int argc, char** argv, const std::vector<std::string>& of_point) {
    Options options;
    options.seed = seed_of_now();
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (name == "--every") {
            options.every = true;
            continue;
        }
        if (i + 1 == argc) usage(argv[0], of_point);
        const std::string value = argv[++i];
        bool known = true;
        if (name == "--bin")
            options.bin = value;
        else if (name == "--seed")
            options.seed = std::stoull(value);
        else if (name == "--points")
            options.points = std::stol(value);
        else if (name == "--workers")
            options.workers = std::stoi(value);
        else
            known = false;
        for (const std::string& key : of_point)
            if (name == "--" + key) {
                options.point[key] = value;
                known = true;
            }
        if (!known) usage(argv[0], of_point);
    }
    if (options.bin.empty()) usage(argv[0], of_point);
    options.bin = fs::absolute(options.bin);
    return options;
}

std::string command(const std::string& program, const Point& point) {
    std::string text = program;
    for (const auto& [name, value] : point) text += " --" + name + " " + value;
    return text;
}

std::vector<Point> points_of(const std::map<std::string, long>& lengths, long figure,
                             const Options& options) {
    std::mt19937_64 random(options.seed);
    std::vector<Point> points;
    const long all = options.points > 0 ? options.points : figure;
    const auto each = static_cast<std::size_t>(all / static_cast<long>(lengths.size()));
    for (const auto& [verb, most] : lengths) {
        std::vector<long> ks(static_cast<std::size_t>(most));
        std::iota(ks.begin(), ks.end(), 1);
        std::shuffle(ks.begin(), ks.end(), random);
        if (!options.every) ks.resize(std::min(ks.size(), each));
        for (const long k : ks) points.push_back({{"verb", verb}, {"at", std::to_string(k)}});
        std::printf("  %-9s %zu points of %ld calls\n", verb.c_str(), ks.size(), most);
    }
    return points;
}

void run_points(const std::string& program, const Options& options, const std::string& directory,
                const std::vector<Point>& points,
                const std::function<Worker(const std::string& directory)>& prepare,
                const std::map<std::string, long>& least) {
    const auto begin = std::chrono::steady_clock::now();
    const bool alone = !options.point.empty();
    Crew crew(program + " --bin " + options.bin, directory, alone ? 1 : options.workers);
    bool fine = crew.run(points, prepare);
    std::string text;
    for (const auto& [name, sum] : crew.counted()) text += std::to_string(sum) + " " + name + ", ";
    std::printf("%s%.0f s\n", text.c_str(),
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    for (const auto& [name, sum] : least) {
        if (alone || crew.counted()[name] >= sum) continue;
        std::printf("FAILED: %s: %ld at least are promised\n", name.c_str(), sum);
        fine = false;
    }
    std::fflush(stdout);
    if (fine) fs::remove_all(directory);
    // the providers' threads wait for nothing any more
    _exit(fine ? 0 : 1);
}

std::string scratch_directory(const std::string& program) {
    const std::string base =
        fs::is_directory("/dev/shm") ? "/dev/shm" : fs::temp_directory_path().string();
    const std::string mine = base + "/chorus-" + fs::path(program).filename().string();
    fs::create_directories(mine);
    for (const auto& entry : fs::directory_iterator(mine)) {
        const std::string pid = entry.path().filename();
        if (!fs::exists("/proc/" + pid)) fs::remove_all(entry.path());
    }
    const std::string directory = mine + "/" + std::to_string(getpid());
    fs::create_directories(directory);
    return directory;
}

int run_suite(int (*suite)(int, char**), int argc, char** argv) {
    try {
        return suite(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
        return 1;
    }
}

}  // namespace fault
