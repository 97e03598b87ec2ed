// The programs of a round: turns that call tools, commands, and the adversaries beside them.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "fault/command.hpp"
#include "security/escape/options.hpp"
#include "security/escape/place.hpp"

namespace escape {

using Random = std::mt19937_64;

struct Tally {
    std::int64_t rounds = 0;
    std::int64_t turns = 0;
    std::int64_t bursts = 0;
    std::int64_t swaps = 0;
    std::int64_t mounts = 0;  // adversaries that had some
    std::int64_t longest_ms = 0;
    std::map<std::string, std::map<std::string, std::int64_t>> calls;     // tool, outcome
    std::map<std::string, std::map<std::string, std::int64_t>> commands;  // verb, ended well or not

    void add(const Tally& other);
};

// What the programs say is looked through, and each has to end by itself.
class Crew {
  public:
    Crew(const Place& place, const Options& options, Random& random)
        : place_(place), options_(options), random_(random) {}

    // Turns of the agent, several at once, until the time has come; then they are waited for.
    void take_turns(const std::string& agent, const std::string& directory, std::int64_t until_us);
    // One command to its end. True where it ended with 0.
    bool run(const std::string& verb, const fault::Words& words);

    // Adversaries that are processes of this one.
    void attack(const std::string& directory, const fault::Words& more);
    // One that is a task of the agent, in its sandbox for `directory`.
    void attack_confined(const std::string& agent, const std::string& directory,
                         const std::string& ground, const fault::Words& more);
    void stop_attacks();
    void stop_confined(const std::string& agent);

    // Everything that is wrong already.
    std::vector<std::string>& effects() { return effects_; }
    Tally& tally() { return tally_; }

  private:
    struct Turn {
        fault::Command command;
        std::string name;
        std::int64_t started_us;
    };
    Turn begin_turn(const std::string& agent, const std::string& directory);
    bool has_ended(Turn& turn);  // and then it has been judged
    void judge(Turn& turn, bool hung);
    void count_swaps(const std::string& text);
    fault::Words swap_words(const std::string& directory, const fault::Words& more) const;
    std::string calls();

    const Place& place_;
    const Options& options_;
    Random& random_;
    std::list<fault::Command> adversaries_;
    std::vector<std::string> effects_;
    Tally tally_;
    int prompts_ = 0;
};

}  // namespace escape
