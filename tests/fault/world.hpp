// The world of a point: a home copied from a prepared one, the provider, and what can be known of
// the turns from outside: what was printed, what was asked of the provider, how the program ended.
#pragma once

#include <string>
#include <vector>

#include "fault/launch.hpp"
#include "fault/provider.hpp"

namespace fault {

// Of the real executables.
struct Programs {
    std::string run;
    std::string init;
};

enum class Sandbox { off, on };

constexpr const char* canary = "sk-canary-7d1f0c9b55e84a3f";

// What chorus said it had done, and what was asked of it.
struct Witness {
    struct Told {
        std::string id;
        std::string text;
    };
    std::vector<std::string> sent;      // user texts that were given to chorus-run
    std::vector<Told> accepted;         // turns that it said had begun, with their user texts
    std::vector<Told> answers;          // messages that it told
    std::vector<Told> results;          // calls whose result it told, with their outcomes
    std::vector<std::string> finished;  // turns that it told to be completed
    std::vector<Request> requests;
    std::string printed;  // everything, of every run
};

class World {
  public:
    // Everything lies under `directory`, which must be there: the prepared homes, if no other World
    // has made them there, in `prepared`; this one's own in `directory`.
    World(Programs programs, std::string directory, std::string prepared);

    // The homes that points are copied from: one agent, `a`, with one turn behind it.
    void prepare();
    // A fresh copy; everything known of the last point is forgotten.
    void begin(Sandbox sandbox);
    // An empty place in its stead: no home at all.
    void begin_empty();

    const std::string& home() const { return home_; }
    std::string agent(const std::string& name) const { return home_ + "/agents/" + name; }
    std::string workspace() const { return agent("a") + "/workspace"; }
    const std::string& directory() const { return directory_; }
    const Programs& programs() const { return programs_; }
    Witness& witness() { return witness_; }
    const Witness& witness() const { return witness_; }

    // chorus-run a TEXT, as events; what it tells and what the provider sees is witnessed.
    Ended say(const std::string& text, long kill_at = 0);
    Ended resume(long kill_at = 0);
    Ended init(const std::vector<std::string>& arguments, long kill_at = 0);
    // Any of the above with everything of it given; `sent`: the user text among the arguments, or
    // "".
    Ended run(Launch launch, const std::string& sent);
    // The arguments and the environment of chorus-run, for a launch of one's own.
    Launch turn_launch(const std::vector<std::string>& arguments) const;
    std::string out() const;  // of the last run
    std::string err() const;

    // Kept for who looks into a failure.
    void keep_as(const std::string& path) const;

  private:
    void witness_events(const std::string& sent);
    void forget_words() const;
    Programs programs_;
    std::string directory_;
    std::string prepared_;
    std::string home_;
    Provider provider_;
    Witness witness_;
};

std::string contents(const std::string& path);  // "" where there is none
void write(const std::string& path, const std::string& text);

}  // namespace fault
