// What must hold of an agent after the commands that were given to it, as far as the manual says
// it. Prompts are numbers, each given once: "say 12", "work 12", "ask 12".
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fault/command.hpp"
#include "fault/provider.hpp"

namespace fault {

// Numbers of the prompts of a window, oldest first; below 0 those that only a summary tells.
using Window = std::vector<int>;

enum class Standing {
    ended,    // nothing to go on with
    cut,      // its process was ended: --resume goes on
    asks,     // waits for decisions
    decided,  // waited for decisions that are made: --resume goes on
};

struct Thread {
    Window window;
    Standing standing = Standing::ended;
    int turn = 0;  // the number of the prompt of its newest turn
    // Not to be seen from outside: that turn sees nothing else; it leaves the window when it ends.
    bool is_fresh = false;
    bool is_cleared = false;
    // Some of its questions may be decided.
    bool is_partly_decided = false;
    friend bool operator==(const Thread& one, const Thread& other) {
        return one.window == other.window && one.standing == other.standing &&
               (one.standing == Standing::ended || one.turn == other.turn);
    }
};

// Its newest turn is over: what a clear had left for it is outside now.
void end(Thread& thread);
// Its newest turn is at work again, and has its own messages although they were cleared.
void reopen(Thread& thread);
// What a request of its newest turn has.
Window sent_by(const Thread& thread);
// Its newest turn waits for decisions, or for going on with them.
bool waits(const Thread& thread);
bool waits(const std::map<int, Thread>& threads);

struct Believed {
    std::map<int, Thread> threads{{1, {}}};
    // Windows by thread, by id of the session.
    std::map<std::string, std::map<int, Window>> sessions;
    // What a command writes as a line: how often at least and at most.
    std::map<std::string, std::pair<int, int>> effects;
};

// The numbers in texts of the user, as a request or a window has them.
class Numbers {
  public:
    void add(const std::string& text);
    const Window& found() const { return found_; }

  private:
    Window found_;
};

Window window_of(const Request& request);
std::string text_of(const Window& window);
std::string text_of(const std::map<int, Thread>& threads);

// What is so: windows as `chorus-context show` tells them, turns as the database has them.
class Observer {
  public:
    Observer(std::string bin, std::string home, Variables variables)
        : bin_(std::move(bin)), home_(std::move(home)), variables_(std::move(variables)) {}

    std::map<int, Thread> threads(const std::string& agent) const;
    // The newest message of the thread with that prompt; "" where there is none.
    std::string message(const std::string& agent, int thread, int number) const;
    // Whether it is known with which options the turn of that message began: not of a message that
    // a session has brought back.
    bool has_turn(const std::string& message) const;
    bool has_ended(const std::string& agent, int thread, int number) const;
    // Ids of the questions that wait.
    std::vector<std::string> pending(const std::string& agent, int thread) const;
    // How often a line is in one of the files that work of the provider writes.
    int count(const std::string& agent, const std::string& line) const;
    // Sessions of the agent, oldest first.
    std::vector<std::string> sessions(const std::string& agent) const;
    // What no state of the home may be, in words.
    std::vector<std::string> faults() const;

  private:
    std::string database() const { return home_ + "/chorus.db"; }
    std::string bin_;
    std::string home_;
    Variables variables_;
};

}  // namespace fault
