// The power fails while chorus works: turns, resumptions and births on a disk that is cut off with
// FS_IOC_SHUTDOWN at a random moment, mounted again and looked at.
//
//   fault_power --bin DIR [--cuts N] [--seed N] [--point K] [--workers N] [--verbose]
//
// A point is a fresh copy of one home and one to three cuts in a row, so that what recovers is cut
// too. Point K of a seed is the same activities, cut at the same moments, as far as the kernel lets
// them be; a failure prints the command that runs its point again. Exit 1 where anything that was
// acknowledged is lost or doubled.
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "fault/disk.hpp"
#include "fault/scene.hpp"

namespace fault {
namespace {

constexpr int image_mib = 64;
constexpr int most_cuts_of_a_point = 3;
constexpr std::int64_t first_guess_us = 300'000;

struct Options {
    std::string bin;
    int cuts = 300;
    std::uint64_t seed = static_cast<std::uint64_t>(time(nullptr));
    int point = -1;
    int workers = 2;
    bool verbose = false;
};

// Of all workers; in memory that they share.
struct Tally {
    std::atomic<int> next_point{0};
    std::atomic<int> cuts{0};
    std::atomic<int> after_the_end{0};  // cuts after exit status 0
    std::atomic<int> messages{0};       // acknowledged
    std::atomic<int> commits{0};
    std::atomic<int> failures{0};
};

// When the power fails: after so many microseconds, or so long after so many lines of events.
struct Moment {
    std::int64_t after_us = 0;
    int after_lines = 0;
    Disk::Loses loses = Disk::Loses::log;
    bool kills = false;  // and nobody sees the errors of a dead disk
};

class Worker {
  public:
    Worker(const Options& options, Tally& tally, std::string scratch)
        : options_(options), tally_(tally), scratch_(std::move(scratch)) {
        std::filesystem::create_directories(mount_point());
        template_ = std::make_unique<Disk>(mount_point(), image_mib);
        template_->mount();
        make_home(scene(nullptr));
        template_->unmount();
    }

    void run_point(int point);

  private:
    std::string mount_point() const { return scratch_ + "/disk"; }
    Scene scene(Ledger* ledger) const {
        return {{options_.bin + "/chorus-init", options_.bin + "/chorus-run",
                 beside_this_program("loopback")},
                mount_point(),
                scratch_,
                ledger};
    }
    Moment choose_moment(Random& random, const std::string& what);
    void play(Disk& disk, Activity& activity, const Moment& moment);
    void complain(int point, const std::string& story, const std::vector<std::string>& faults);

    const Options& options_;
    Tally& tally_;
    std::string scratch_;
    std::unique_ptr<Disk> template_;
    std::map<std::string, std::int64_t> durations_us_;
};

Moment Worker::choose_moment(Random& random, const std::string& what) {
    const auto found = durations_us_.find(what);
    const std::int64_t usual_us = found == durations_us_.end() ? first_guess_us : found->second;
    Moment moment;
    moment.loses = random() % 10 < 7   ? Disk::Loses::log
                   : random() % 3 != 0 ? Disk::Loses::buffers
                                       : Disk::Loses::nothing;
    moment.kills = random() % 2 == 0;
    const auto share = static_cast<std::int64_t>(random() % 2000);
    const auto lines = static_cast<int>(random() % 28);
    const auto jitter_us = static_cast<std::int64_t>(random() % 2000);
    if (random() % 5 < 2) {
        moment.after_lines = 1 + lines;
        moment.after_us = random() % 2 == 0 ? 0 : jitter_us;
    } else {
        moment.after_us = usual_us * share / 1000;
    }
    return moment;
}

int lines_of(const std::string& text) {
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

// Reads until something more comes or the time is there; false when all have ended.
bool listen(Activity& activity, std::int64_t until_us) {
    std::vector<pollfd> wanted;
    bool any = false;
    for (const auto& command : activity.commands()) {
        any = command->read_some() || any;
        if (command->fd() >= 0) wanted.push_back({command->fd(), POLLIN, 0});
    }
    if (!any) return false;
    const std::int64_t left_us = std::clamp<std::int64_t>(until_us - now_us(), 0, 20'000);
    const timespec wait{0, left_us * 1000};
    ppoll(wanted.data(), wanted.size(), &wait, nullptr);
    return true;
}

void Worker::play(Disk& disk, Activity& activity, const Moment& moment) {
    const std::int64_t began_us = now_us();
    activity.start();
    std::int64_t until_us = moment.after_lines > 0 ? INT64_MAX : began_us + moment.after_us;
    bool works = true;
    while (works && now_us() < until_us) {
        works = listen(activity, until_us);
        if (until_us == INT64_MAX &&
            lines_of(activity.commands().front()->out()) >= moment.after_lines)
            until_us = now_us() + moment.after_us;
    }
    if (!works) {
        for (const auto& command : activity.commands()) command->finish();
        tally_.after_the_end += activity.commands().front()->status() == 0 ? 1 : 0;
        std::int64_t& usual_us =
            durations_us_.try_emplace(activity.name(), now_us() - began_us).first->second;
        usual_us = (usual_us * 3 + now_us() - began_us) / 4;
    }
    activity.seal();
    disk.cut(moment.loses);
    if (moment.kills)
        for (const auto& command : activity.commands()) command->kill(SIGKILL);
    for (const auto& command : activity.commands()) command->finish();
    activity.collect();
}

void Worker::complain(int point, const std::string& story, const std::vector<std::string>& faults) {
    if (faults.empty()) return;
    ++tally_.failures;
    std::string text = "FAILED: point " + std::to_string(point) + ": " + story + "\n";
    for (const std::string& fault : faults) text += "  " + fault + "\n";
    std::fprintf(stderr, "%s  again: %s --bin %s --seed %llu --point %d\n", text.c_str(),
                 beside_this_program("fault_power").c_str(), options_.bin.c_str(),
                 static_cast<unsigned long long>(options_.seed), point);
}

void Worker::run_point(int point) {
    Random random(options_.seed * 1'000'003 + static_cast<std::uint64_t>(point));
    Disk disk(*template_, mount_point());
    Ledger ledger(left_agent);
    const Scene here = scene(&ledger);
    std::string story;
    const auto cuts = 1 + static_cast<int>(random() % most_cuts_of_a_point);
    disk.mount();
    for (int cut = 0; cut < cuts; ++cut) {
        const std::string token = "p" + std::to_string(point) + "c" + std::to_string(cut);
        const auto activity = choose_activity(here, random, token, cut > 0);
        const Moment moment = choose_moment(random, activity->name());
        story += (cut > 0 ? ", then " : "") + activity->name();
        play(disk, *activity, moment);
        ++tally_.cuts;
        if (options_.verbose)
            std::fprintf(stderr, "point %d: %s: cut after %lld us, %d lines: exit %d %s\n", point,
                         activity->name().c_str(), static_cast<long long>(moment.after_us),
                         moment.after_lines, activity->commands().front()->status(),
                         activity->commands().front()->err().c_str());
        disk.unmount();
        disk.mount();
        disk.unmount();
        const std::string problem = disk.problem();
        if (!problem.empty()) complain(point, story, {"e2fsck: " + problem});
        disk.mount();
        complain(point, story, ledger.faults(here.home(), Ledger::When::raw));
    }
    tally_.messages += ledger.message_count();
    tally_.commits += ledger.commit_count();
    auto failed = settle(here, "p" + std::to_string(point) + "end");
    for (std::string& fault : ledger.faults(here.home(), Ledger::When::settled))
        failed.push_back(std::move(fault));
    complain(point, story, failed);
    disk.unmount();
}

Options parse_options(int count, char** arguments) {
    Options options;
    for (int i = 1; i < count; ++i) {
        const std::string name = arguments[i];
        if (name == "--verbose") {
            options.verbose = true;
            continue;
        }
        if (++i == count) give_up(name + ": no value");
        const std::string value = arguments[i];
        if (name == "--bin")
            options.bin = std::filesystem::absolute(value);
        else if (name == "--cuts")
            options.cuts = std::stoi(value);
        else if (name == "--seed")
            options.seed = std::stoull(value);
        else if (name == "--point")
            options.point = std::stoi(value);
        else if (name == "--workers")
            options.workers = std::stoi(value);
        else
            give_up("unknown option " + name);
    }
    if (options.bin.empty()) give_up("--bin is needed: the directory of the executables");
    return options;
}

void work(const Options& options, Tally& tally, const std::string& scratch) {
    Worker worker(options, tally, scratch);
    if (options.point >= 0) return worker.run_point(options.point);
    while (tally.cuts < options.cuts) worker.run_point(tally.next_point++);
}

int run_all(const Options& options) {
    void* shared =
        mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) give_up("mmap");
    auto& tally = *new (shared) Tally;
    enter_own_mount_namespace();
    std::string scratch = (std::filesystem::temp_directory_path() / "chorus-power-XXXXXX").string();
    if (mkdtemp(scratch.data()) == nullptr) give_up(scratch + ": cannot be made");
    std::printf("seed %llu\n", static_cast<unsigned long long>(options.seed));
    std::fflush(stdout);
    const std::int64_t began_us = now_us();
    const int workers = options.point >= 0 ? 1 : options.workers;
    for (int i = 0; i < workers; ++i) {
        if (fork() != 0) continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        work(options, tally, scratch + "/" + std::to_string(i));
        std::exit(0);
    }
    bool all_ended_well = true;
    int status = 0;
    while (wait(&status) > 0) all_ended_well = all_ended_well && status == 0;
    for (int i = 0; i < workers; ++i)
        umount2((scratch + "/" + std::to_string(i) + "/disk").c_str(), MNT_DETACH);
    std::filesystem::remove_all(scratch);
    std::printf(
        "%d cuts in %.1f s, %d of them after an exit status of 0, %d messages and %d commits "
        "acknowledged: %d failures\n",
        tally.cuts.load(), static_cast<double>(now_us() - began_us) / 1e6,
        tally.after_the_end.load(), tally.messages.load(), tally.commits.load(),
        tally.failures.load());
    return all_ended_well && tally.failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace fault

int main(int count, char** arguments) {
    return fault::run_all(fault::parse_options(count, arguments));
}
