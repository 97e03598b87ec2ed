// What people do with a home while its power may fail: an activity is one command or two at once,
// and reads from what came out of them what they acknowledged.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fault/command.hpp"
#include "fault/ledger.hpp"
#include "fault/server.hpp"

namespace fault {

struct Binaries {
    std::string init;
    std::string run;
    std::string loopback;
};

// The home stands at `mount`/home, everything else on this machine's own disk.
struct Scene {
    Binaries programs;
    std::string mount;
    std::string scratch;
    Ledger* ledger = nullptr;

    std::string home() const { return mount + "/home"; }
    Variables variables() const { return {{"CHORUS_HOME", home()}, {"HOME", scratch + "/user"}}; }
};

class Activity {
  public:
    virtual ~Activity() = default;
    virtual std::string name() const = 0;
    virtual void start() = 0;
    // Right before the cut: nothing acknowledged later counts.
    virtual void seal();
    // After it ended, or after the cut: what came out goes into the ledger.
    virtual void collect() = 0;

    // Until all have ended.
    std::vector<std::unique_ptr<Command>>& commands() { return commands_; }

  protected:
    explicit Activity(const Scene& scene) : scene_(scene) {}
    const Scene& scene_;
    std::vector<std::unique_ptr<Command>> commands_;
};

// Two agents that every template home has, and the names of the directories one may adopt.
inline const std::string first_agent = "a";
inline const std::string second_agent = "b";
inline const std::string left_agent = "left";             // its directory stands in agents/
inline const std::string foreign_directory = "/foreign";  // and this one outside of the home
constexpr int foreign_sessions = 2;

// What a template home is made of; no cut yet.
void make_home(const Scene& scene);

using Random = std::mt19937_64;
// One of those that make sense here; `token` is in no other. `resumes`: the last cut left a turn.
std::unique_ptr<Activity> choose_activity(const Scene& scene, Random& random,
                                          const std::string& token, bool resumes);
// What comes after the cuts, without one: every agent takes a turn, every init is done again.
// Returns what failed.
std::vector<std::string> settle(const Scene& scene, const std::string& token);

}  // namespace fault
