// Sixteen processes at once take turns with one agent, save, clear, restore and branch what it
// remembers: every accepted message is there once, nothing is half done, and it goes on.
//
//   fault_crowd --bin DIR [--seconds N] [--seed N]
#include <poll.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "fault/command.hpp"
#include "fault/database.hpp"
#include "fault/suite.hpp"

namespace fault {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t width = 16;
constexpr std::int64_t default_seconds = 12;
constexpr long least_of_each = 5;

class Crowd {
  public:
    Crowd(const Options& options, std::string directory)
        : bin_(options.bin), directory_(std::move(directory)), random_(options.seed) {}

    bool run(std::int64_t seconds) {
        expect_done(
            fault::run({bin_ + "/chorus-init", "a", "--model", "builtin/script"}, variables()),
            "chorus-init");
        play(now_us() + seconds * 1'000'000);
        check();
        std::string counts;
        for (const auto& [name, count] : done_) {
            counts += name + " " + std::to_string(count) + "  ";
            expect(count >= least_of_each, name + " was hardly done");
        }
        std::printf("%sfailures %d\n", counts.c_str(), failures_);
        return failures_ == 0;
    }

  private:
    struct Running {
        std::string what;
        std::string token;
        std::unique_ptr<Command> command;
    };

    std::string home() const { return directory_ + "/home"; }
    Variables variables() const { return {{"CHORUS_HOME", home()}, {"HOME", directory_}}; }
    Words context(const std::string& verb) const {
        return {bin_ + "/chorus-context", verb, "a", "--wait"};
    }

    void expect(bool holds, const std::string& what) {
        if (holds) return;
        if (++failures_ <= 20) std::printf("FAILED: %s\n", what.c_str());
    }
    void expect_done(const Finished& ended, const std::string& what) {
        expect(ended.status == 0,
               what + ": exit " + std::to_string(ended.status) + ": " + ended.out + ended.err);
    }

    Running start() {
        const auto chosen = random_() % 16;
        Running one;
        Words words;
        if (chosen < 6) {
            one = {"run", "message-" + std::to_string(++tokens_), {}};
            words = {bin_ + "/chorus-run", "a", "--wait", "-p", one.token};
        } else if (chosen < 8) {
            one.what = "save";
            words = context("save");
            words.insert(words.end(), {"--no-summary", "note " + std::to_string(++tokens_)});
        } else if (chosen < 10) {
            one.what = "clear";
            words = context("clear");
        } else if (chosen < 12) {
            one.what = "restore";
            words = context("restore");
            words.push_back(any_session());
        } else if (chosen < 14) {
            one.what = "idle-save";
            words = {bin_ + "/chorus-context", "idle-save", "--all",
                     "--idle-timeout",         "1",         "--no-summary"};
        } else {
            one.what = "branch";
            words = context("branch");
            words.push_back("b" + std::to_string(++tokens_));
        }
        one.command = std::make_unique<Command>(words, variables());
        return one;
    }

    std::string any_session() const {
        const std::string id = Database(home() + "/chorus.db")
                                   .value("SELECT id FROM sessions ORDER BY random() LIMIT 1");
        return id.empty() ? "none" : id;
    }

    void play(std::int64_t until_us) {
        std::vector<Running> running;
        while (now_us() < until_us || !running.empty()) {
            while (running.size() < width && now_us() < until_us) running.push_back(start());
            std::vector<pollfd> ends;
            for (const Running& one : running) ends.push_back({one.command->fd(), POLLIN, 0});
            poll(ends.data(), ends.size(), 100);
            std::erase_if(running, [&](const Running& one) {
                if (one.command->read_some()) return false;
                one.command->finish();
                judge(one);
                return true;
            });
        }
    }

    void judge(const Running& one) {
        const int status = one.command->status();
        // 4: nothing there to save or to restore, which is so for a moment after each clear
        const bool fine = status == 0 || (status == 4 && one.what != "run");
        expect(fine, one.what + ": exit " + std::to_string(status) + ": " + one.command->err());
        for (const char* word : {"locked", "SQLITE", "internal"})
            expect(one.command->err().find(word) == std::string::npos,
                   one.what + ": " + one.command->err());
        if (status != 0) return;
        ++done_[one.what];
        if (!one.token.empty()) accepted_.insert(one.token);
    }

    void check() {
        Database database(home() + "/chorus.db");
        expect(database.value("PRAGMA integrity_check") == "ok", "integrity_check");
        expect(database.rows("PRAGMA foreign_key_check").empty(), "foreign_key_check");
        std::multiset<std::string> stored;
        for (const auto& row :
             database.rows("SELECT content FROM messages WHERE role = 'user' AND thread_id = 1 AND "
                           "restored_from IS NULL"))
            stored.insert(row[0]);
        expect(stored == std::multiset<std::string>(accepted_.begin(), accepted_.end()),
               std::to_string(accepted_.size()) + " messages were accepted, " +
                   std::to_string(stored.size()) + " are stored, or others");
        for (const auto& row : database.rows("SELECT file_path FROM sessions"))
            expect(fs::exists(home() + "/" + row[0]), "a row without its file: " + row[0]);
        for (const auto& row : database.rows("SELECT branch FROM threads"))
            expect(fs::is_directory(home() + "/agents/a/branches/" + row[0]),
                   "a thread without its branch: " + row[0]);
        expect_done(fault::run({bin_ + "/chorus-config", "doctor"}, variables()), "doctor");
        expect_done(fault::run({bin_ + "/chorus-run", "a", "-p", "at last"}, variables()),
                    "the next turn");
    }

    std::string bin_;
    std::string directory_;
    std::mt19937_64 random_;
    std::set<std::string> accepted_;
    std::map<std::string, long> done_ = {{"run", 0},     {"save", 0},      {"clear", 0},
                                         {"restore", 0}, {"idle-save", 0}, {"branch", 0}};
    int tokens_ = 0;
    int failures_ = 0;
};

int main_of(int argc, char** argv) {
    const Options options = parse(argc, argv, {"seconds"});
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const std::string directory = scratch_directory(argv[0]);
    std::printf("seed %llu\n", static_cast<unsigned long long>(options.seed));
    const bool given = options.point.contains("seconds");
    const bool fine = Crowd(options, directory)
                          .run(given ? std::stoll(options.point.at("seconds")) : default_seconds);
    if (fine) fs::remove_all(directory);
    return fine ? 0 : 1;
}

}  // namespace
}  // namespace fault

int main(int argc, char** argv) {
    return fault::run_suite(fault::main_of, argc, argv);
}
