// Random commands of all programs on one home, by several at once, some of them killed and some
// with calls that fail, against a model of what the manual promises: what is in the window of which
// thread, what has happened how often, how commands end, and what goes on.
//
//   fault_model --bin DIR [--seconds N] [--seed N] [--lanes N]
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "fault/lane.hpp"
#include "fault/suite.hpp"

namespace fault {
namespace {

namespace fs = std::filesystem;

constexpr int default_seconds = 60;
constexpr int default_lanes = 3;

// What is done meanwhile by those who look after a home, and must never fail.
void do_chores(const std::string& bin, const std::string& home, std::int64_t until_us,
               std::vector<std::string>& failures) {
    const Variables variables{{"CHORUS_HOME", home}, {"HOME", home}};
    const std::vector<Words> chores{
        {bin + "/chorus-tasks"},
        {bin + "/chorus-context", "verify"},
        {bin + "/chorus-context", "backup", "--force", home + "-backup"},
        {bin + "/chorus-context", "idle-save", "--all", "--idle-timeout", "10h"},
        {bin + "/chorus-context", "usage"},
        {bin + "/chorus-context", "history"},
    };
    for (std::size_t i = 0; now_us() < until_us && failures.empty(); ++i) {
        const Words& words = chores[i % chores.size()];
        const Finished done = run(words, variables);
        if (done.status != 0)
            failures.push_back(words[0] + " " + (words.size() > 1 ? words[1] : "") + ": exit " +
                               std::to_string(done.status) + ": " + done.err);
        usleep(100'000);
    }
}

void report(const std::string& path, const std::vector<std::string>& failures,
            const std::map<std::string, long>& counts) {
    std::ofstream file(path);
    for (const auto& [name, count] : counts) file << count << ' ' << name << '\n';
    for (const std::string& failure : failures) std::printf("FAILED: %s\n", failure.c_str());
    std::fflush(stdout);
}

[[noreturn]] void work_in(Lane& lane, std::int64_t until_us, const std::string& path) {
    while (now_us() < until_us && lane.failures().empty()) lane.step();
    if (lane.failures().empty()) lane.settle();
    report(path, lane.failures(), lane.counts());
    _exit(lane.failures().empty() ? 0 : 1);
}

// Whether each has ended with 0.
bool wait_for(const std::vector<pid_t>& pids) {
    bool fine = true;
    for (const pid_t pid : pids) {
        int status = 0;
        waitpid(pid, &status, 0);
        fine = fine && status == 0;
    }
    return fine;
}

void prepare(const std::string& bin, const std::string& home) {
    fs::create_directories(home);
    write_text(home + "/config.json", R"({"max_retries": 0, "sandbox": "off"})");
    // the command of "work" runs without a person, those of "ask" do not
    write_text(home + "/profile.json",
               R"({"base": "standard", "allow": ["tool:bash:echo ran [0-9]+ >>count.txt"]})");
    const Finished made = run({bin + "/chorus-init", "first", "--model", "builtin/script"},
                              {{"CHORUS_HOME", home}, {"HOME", home}});
    if (made.status != 0) give_up("chorus-init: " + made.err);
}

int main_of(int argc, char** argv) {
    const Options options = parse(argc, argv, {"seconds", "lanes"});
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const auto figure = [&](const char* name, int otherwise) {
        const auto given = options.point.find(name);
        return given == options.point.end() ? otherwise : std::stoi(given->second);
    };
    const std::string directory = scratch_directory(argv[0]);
    const std::string home = directory + "/home";
    std::printf("seed %llu\n", static_cast<unsigned long long>(options.seed));
    std::fflush(stdout);
    prepare(options.bin, home);
    const int lanes = figure("lanes", default_lanes);
    const std::int64_t until_us = now_us() + figure("seconds", default_seconds) * 1'000'000LL;
    std::vector<pid_t> pids;
    for (int number = 0; number <= lanes; ++number) {
        const pid_t pid = fork();
        if (pid > 0) pids.push_back(pid);
        if (pid != 0) continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const std::string own = directory + "/lane-" + std::to_string(number);
        fs::create_directories(own);
        if (number < lanes) {
            Lane lane(options.bin, home, own, number, options.seed + static_cast<unsigned>(number));
            work_in(lane, until_us, own + "/counts");
        }
        std::vector<std::string> failures;
        do_chores(options.bin, home, until_us, failures);
        report(own + "/counts", failures, {});
        _exit(failures.empty() ? 0 : 1);
    }
    bool fine = wait_for(pids);
    std::map<std::string, long> counts;
    for (int number = 0; number < lanes; ++number) {
        std::ifstream file(directory + "/lane-" + std::to_string(number) + "/counts");
        std::string name;
        for (long count = 0; file >> count && std::getline(file, name);) counts[name] += count;
    }
    const Observer observer(options.bin, home, {});
    for (const std::string& fault : observer.faults()) {
        std::printf("FAILED: %s\n", fault.c_str());
        fine = false;
    }
    // what kills left behind is mended, or nothing was left
    run({options.bin + "/chorus-config", "doctor", "--fix"}, {{"CHORUS_HOME", home}});
    for (const Words& words : {Words{options.bin + "/chorus-config", "doctor"},
                               Words{options.bin + "/chorus-context", "verify"}}) {
        const Finished done = run(words, {{"CHORUS_HOME", home}});
        if (done.status == 0) continue;
        std::printf("FAILED: %s: %s%s\n", words[0].c_str(), done.out.c_str(), done.err.c_str());
        fine = false;
    }
    for (const auto& [name, count] : counts) std::printf("%s %ld  ", name.c_str(), count);
    std::printf("\n%s\n", fine ? "no difference" : ("kept in " + directory).c_str());
    if (fine) fs::remove_all(directory);
    return fine ? 0 : 1;
}

}  // namespace
}  // namespace fault

int main(int argc, char** argv) {
    return fault::run_suite(fault::main_of, argc, argv);
}
