// Directories and files are put in each other's place with links that lead out, by threads that do
// nothing else, while the file tools work on the same paths. Nothing outside may be opened, read or
// changed: inotify watches it, every answer is searched for what is written there, and its files
// are compared at the end.
//
//   security_race [--tries N] [--seconds N] [--seed N] [--without-openat2]
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "security/scene.hpp"
#include "sys/beneath.hpp"
#include "tools/tool.hpp"

namespace chorus::security {
namespace {

using Clock = std::chrono::steady_clock;
using Random = std::mt19937_64;

struct Options {
    std::int64_t tries = 500'000;
    std::int64_t seconds = 0;  // instead of a number of tries
    std::uint64_t seed = 0;
    bool without_openat2 = false;
};

const std::string secret = "what is written outside";

// The same names inside and outside, so that a path that got out would find what it looks for.
const std::vector<std::string> directories{"", "a", "a/b", "a/b/c"};

void furnish(const std::string& top, const std::string& text) {
    for (const std::string& each : directories) {
        const std::string directory = each.empty() ? top : top + "/" + each;
        fs::create_directories(directory);
        put(directory + "/file.txt", text + "\n");
    }
}

// From here on the kernel does not know openat2(2).
void forget_openat2() {
    std::array<sock_filter, 4> code{{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (ENOSYS & SECCOMP_RET_DATA)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    }};
    const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        throw std::runtime_error("seccomp");
    if (syscall(SYS_openat2, AT_FDCWD, "/", nullptr, 0) != -1 || errno != ENOSYS)
        throw std::runtime_error("openat2 is still there");
}

// Everything that happens to the files outside, from the moment it is made.
class Watch {
  public:
    explicit Watch(const std::string& outside) : fd_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
        for (const std::string& each : directories)
            if (inotify_add_watch(fd_, (outside + "/" + each).c_str(), IN_ALL_EVENTS) < 0)
                throw std::runtime_error("inotify_add_watch");
    }
    ~Watch() { close(fd_); }
    Watch(const Watch&) = delete;

    // "a/b 20 file.txt; ", directory, inotify(7)'s mask and name: the first of what was seen, or
    // "".
    std::string seen() const {
        alignas(inotify_event) std::array<char, 4096> buffer{};
        const ssize_t size = read(fd_, buffer.data(), buffer.size());
        std::string text;
        for (ssize_t at = 0; at < size && text.size() < 200;) {
            const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
            char mask[16];
            std::snprintf(mask, sizeof mask, " %x ", event->mask);
            text += directories[static_cast<std::size_t>(event->wd - 1)] + mask +
                    (event->len > 0 ? event->name : "") + "; ";
            at += static_cast<ssize_t>(sizeof *event + event->len);
        }
        return text;
    }

  private:
    int fd_;
};

// One directory of the workspace, held by its descriptor: through a path this would swap what lies
// outside.
class Swapper {
  public:
    Swapper(const std::string& workspace, std::string outside) : outside_(std::move(outside)) {
        for (const std::string& each : directories)
            held_.emplace_back(open((workspace + "/" + each).c_str(), O_PATH | O_CLOEXEC));
    }

    void swap_for(const std::atomic<bool>& goes_on, std::uint64_t seed) const {
        Random random(seed);
        while (goes_on) {
            const std::size_t level = random() % directories.size();
            const bool is_file = level + 1 == directories.size() || random() % 3 == 0;
            const std::string name = is_file ? "file.txt" : std::string(1, "abc"[level]);
            const std::string below = directories[level].empty() ? "" : directories[level] + "/";
            const std::string up = std::string("../") + (level > 0 ? "../" : "") +
                                   (level > 1 ? "../" : "") + (level > 2 ? "../" : "");
            const bool relative = random() % 2 == 0;
            const std::string target = (relative ? up + "outside/" : outside_ + "/") + below + name;
            if (is_file && random() % 2 == 0)
                recreate(held_[level].get(), name, target);
            else
                exchange(held_[level].get(), name, target);
        }
    }

  private:
    static void exchange(int directory, const std::string& name, const std::string& target) {
        const std::string link = ".link-" + name;
        static_cast<void>(symlinkat(target.c_str(), directory, link.c_str()) != 0);
        for (int i = 0; i < 16; ++i)
            renameat2(directory, name.c_str(), directory, link.c_str(), RENAME_EXCHANGE);
        struct stat status {};
        // Whoever else swapped or wrote it meanwhile: a link that is left in the name's place goes.
        if (fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISLNK(status.st_mode))
            renameat2(directory, name.c_str(), directory, link.c_str(), RENAME_EXCHANGE);
        if (fstatat(directory, link.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            !S_ISDIR(status.st_mode))
            unlinkat(directory, link.c_str(), 0);
    }

    static void recreate(int directory, const std::string& name, const std::string& target) {
        unlinkat(directory, name.c_str(), 0);
        static_cast<void>(symlinkat(target.c_str(), directory, name.c_str()) != 0);
        unlinkat(directory, name.c_str(), 0);
        const sys::Fd file(openat(directory, name.c_str(),
                                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (file) static_cast<void>(write(file.get(), "inside\n", 7) != 7);
    }

    std::string outside_;
    std::vector<sys::Fd> held_;
};

struct Tally {
    std::atomic<std::int64_t> tries{0};
    std::atomic<std::int64_t> worked{0};
    std::atomic<std::int64_t> led_out{0};  // refused, because a link stood there
    std::atomic<std::int64_t> escaped{0};
    std::atomic<bool> goes_on{true};
};

// One of the tools' ways to a file, chosen by chance.
class Worker {
  public:
    Worker(const Scene& scene, Tally& tally, std::uint64_t seed)
        : tally_(tally), random_(seed), place_(scene) {}

    void work() {
        while (tally_.goes_on) {
            attempt();
            ++tally_.tries;
        }
    }

  private:
    std::string path() {
        const std::string& directory = directories[random_() % directories.size()];
        const std::string name = random_() % 8 == 0 ? "new.txt" : "file.txt";
        return directory.empty() ? name : directory + "/" + name;
    }

    void attempt() {
        const auto choice = random_() % 64;
        if (choice < 40)
            read();
        else if (choice < 56)
            settle(place_.root().write_file(path(), "inside, written\n"));
        else if (choice == 56)
            walk();
        else
            call();
    }

    void read() {
        std::string content;
        std::string error;
        place_.root().read_file(path(), 1 << 16, content, error);
        look_at(content);
        settle(error);
    }

    void walk() {
        std::string error;
        const auto entries = place_.root().walk(random_() % 2 == 0 ? "a" : "", 100, error);
        if (entries.size() > 30) ++tally_.escaped;
        settle(error);
    }

    void call() {
        static const std::array<std::pair<const char*, const char*>, 6> calls{{
            {"view", "{}"},
            {"search_files", R"({"pattern": "what is [w]ritten"})"},
            {"list_files", "{}"},
            {"create_file", R"({"content": "inside, created\n"})"},
            {"append_file", R"({"content": "inside, appended\n"})"},
            {"str_replace", R"({"old_str": "inside", "new_str": "inside", "all": true})"},
        }};
        const auto& [tool, arguments] = calls[random_() % calls.size()];
        const chat::ToolResult result = place_.call(tool, arguments, path());
        look_at(result.text);
        settle(result.is_error ? result.text : "");
    }

    void look_at(const std::string& text) {
        if (text.find(secret) != std::string::npos) ++tally_.escaped;
    }
    void settle(const std::string& message) {
        if (message.empty()) ++tally_.worked;
        if (message.find("leads out of") != std::string::npos ||
            message.find("symbolic link") != std::string::npos)
            ++tally_.led_out;
    }

    Tally& tally_;
    Random random_;
    Place place_;
};

bool is_enough(const Options& options, const Tally& tally, Clock::time_point start) {
    if (options.seconds > 0) return Clock::now() - start > std::chrono::seconds(options.seconds);
    return tally.tries >= options.tries;
}

void run(const Scene& scene, const Options& options, Tally& tally) {
    // Before anything is swapped: later its paths would lead out themselves.
    const Swapper swapper(scene.workspace(), scene.outside());
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < 2; ++i) {
        threads.emplace_back([&, i] { swapper.swap_for(tally.goes_on, options.seed + i); });
        threads.emplace_back([&, i] { Worker(scene, tally, options.seed + 100 + i).work(); });
    }
    const auto start = Clock::now();
    while (!is_enough(options, tally, start) && tally.escaped == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    tally.goes_on = false;
    for (std::thread& thread : threads) thread.join();
}

int judge(const Tally& tally, const std::string& touched, const Options& options) {
    std::cout << tally.tries << " tries, " << tally.worked << " worked, " << tally.led_out
              << " refused at a link, " << tally.escaped << " escaped" << std::endl;
    // Where nothing was refused nothing was raced, and where nothing worked neither.
    const bool raced = tally.worked > tally.tries / 100 && tally.led_out > tally.tries / 1000;
    if (!touched.empty())
        std::cout << "FAILED: something outside was opened or changed: " << touched << "\n";
    if (!raced) std::cout << "FAILED: the threads did not race\n";
    if (touched.empty() && raced && tally.escaped == 0) return 0;
    std::cout << "again: security_race --seed " << options.seed << " --tries " << options.tries
              << (options.without_openat2 ? " --without-openat2" : "") << "\n";
    return 1;
}

Options parse(const std::vector<std::string>& words) {
    Options options;
    options.seed = clock_seed();
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--without-openat2") {
            options.without_openat2 = true;
            continue;
        }
        if (i + 1 == words.size()) throw std::runtime_error(words[i] + ": no value");
        const std::string& value = words[i + 1];
        if (words[i] == "--tries")
            options.tries = std::stoll(value);
        else if (words[i] == "--seconds")
            options.seconds = std::stoll(value);
        else if (words[i] == "--seed")
            options.seed = std::stoull(value);
        else
            throw std::runtime_error(words[i] + ": unknown");
        ++i;
    }
    return options;
}

}  // namespace
}  // namespace chorus::security

int main(int argc, char** argv) {
    using namespace chorus::security;
    const Options options = parse({argv + 1, argv + argc});
    std::cout << "seed " << options.seed << (options.without_openat2 ? ", without openat2" : "")
              << std::endl;
    const Scene scene("/dev/shm");
    furnish(scene.workspace(), "inside");
    furnish(scene.outside(), secret);
    const std::string before = fingerprint(scene.outside());
    if (options.without_openat2) forget_openat2();
    Tally tally;
    std::string touched;
    {
        const Watch watch(scene.outside());
        run(scene, options, tally);
        touched = watch.seen();
    }
    if (fingerprint(scene.outside()) != before) touched += "its files differ";
    return judge(tally, touched, options);
}
