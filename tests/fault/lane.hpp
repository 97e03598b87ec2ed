// One who gives random commands to agents of a home that others use at the same time, and knows
// what must come of each, also where it is killed or a call of it fails.
#pragma once

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "fault/believed.hpp"
#include "fault/command.hpp"
#include "fault/provider.hpp"

namespace fault {

class Lane {
  public:
    // `number` makes its agents' names; `directory` is its own.
    Lane(std::string bin, std::string home, std::string directory, int number, std::uint64_t seed);

    void step();
    // After the last step, when no lane runs.
    void settle();

    const std::vector<std::string>& failures() const { return failures_; }
    // How often each command was given, was ended by a signal, met a failing call.
    const std::map<std::string, long>& counts() const { return counts_; }

  private:
    using Threads = std::map<int, Thread>;
    struct Given {
        std::string what;
        int status = -1;
        bool was_disturbed = false;
        std::string out;
        std::string err;
        Json result;  // of --json, where it is an object
        std::vector<Request> requests;
    };

    Given give(const std::string& verb, Words words, bool may_be_disturbed = true);
    void expect(bool holds, const Given& given, const std::string& what);
    void expect_status(const Given& given, int status);
    // Believes what is so, if that is one of the possibilities; else a failure.
    void resolve(const Given& given, const std::vector<Threads>& possible);
    void settle_on(const Given& given, const Threads& expected);
    void check_requests(const Given& given, const Window& window);
    void check_effects(const Given& given);

    void make();
    void turn();
    void take_turn(int thread, const std::string& prompt, const Words& more);
    void take_turn_by_key();
    void crowd();
    void go_on();
    void decide();
    void decide_elsewhere();
    void end_task();
    void save();
    void clear();
    void restore();
    void branch();
    void compact();
    void rewind();
    void destroy();
    void move();

    bool chance(int percent) { return static_cast<int>(random_() % 100) < percent; }
    int any_thread();
    Believed& now() { return agents_.at(agent_); }
    Threads& threads() { return now().threads; }
    Words run_words(int thread) const;
    Words context_words(const std::string& verb) const;
    Threads without_cut_turns() const;

    std::string bin_;
    std::string home_;
    std::string directory_;
    int number_;
    std::mt19937_64 random_;
    Provider provider_;
    Variables variables_;
    Observer observer_;
    std::map<std::string, Believed> agents_;
    std::string agent_;
    int prompts_ = 0;
    std::set<int> crowded_;      // prompts that may share a turn
    std::set<int> fresh_;        // prompts whose turns see nothing else
    std::map<int, int> copies_;  // of turns that were cut, in branches
    int steps_ = 0;
    std::vector<std::string> story_;  // what was given to the agent, for who looks into a failure
    std::vector<std::string> failures_;
    std::map<std::string, long> counts_;
};

}  // namespace fault
