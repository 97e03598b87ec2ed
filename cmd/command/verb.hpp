// The frame of the programs that work on a home and its database. A verb, or a program without
// verbs, is a structure: its members are the variables of its options, its constructor describes
// them, except --json, and run() does the work. If run() returns nothing, the exit status is 0
// unless it throws.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "agent/home.hpp"
#include "agent/layout.hpp"
#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/field.hpp"
#include "cli/main.hpp"
#include "cli/table.hpp"
#include "life/find_agent.hpp"
#include "model/choice.hpp"
#include "place/turn_options.hpp"
#include "store/store.hpp"
#include "store/turns.hpp"
#include "sys/environment.hpp"

namespace chorus::command {

using base::Error;
using base::ErrorCode;
using base::ExitStatus;
using cli::counted;
using cli::Fields;
using cli::Form;
using cli::notice;
using cli::one_line;
using cli::Time;

struct Begun {
    sys::Environment environment;
    agent::Home home;
    // The surroundings of a turn that nobody watches.
    place::Surroundings surroundings() const;
};
Begun begin();

struct Opened : Begun {
    store::Store store;
};
store::Store open_store(const Begun& begun, agent::IfMissing if_missing = agent::IfMissing::refuse);
Opened open();

template <typename Verb, typename Taken>
ExitStatus run_with(Verb& verb, Taken taken) {
    if constexpr (std::is_void_v<decltype(verb.run(taken))>) {
        verb.run(taken);
        return ExitStatus::done;
    } else {
        return verb.run(taken);
    }
}

// Says in the help what --json prints.
constexpr std::string_view json_object = "print one JSON object";
constexpr std::string_view json_lines = "print one JSON object per line";

// Describes a structure's options, and --json behind them if `json` says what it does; then opens
// what its run() takes: the environment, the home, or the database too.
template <typename Verb>
cli::Options options_of(std::string_view json = {}) {
    return [json](cli::Command& command) -> cli::Action {
        const auto verb = std::make_shared<Verb>(command);
        if (!json.empty()) command.flag("--json", verb->json, json);
        return [verb] {
            if constexpr (std::is_invocable_v<decltype(&Verb::run), Verb&, sys::Environment&>)
                return run_with(*verb, model::take_environment());
            else if constexpr (std::is_invocable_v<decltype(&Verb::run), Verb&, Begun&>)
                return run_with(*verb, begin());
            else
                return run_with(*verb, open());
        };
    };
}

template <typename Verb>
cli::Verb verb(std::string_view name, std::string_view about, std::string_view json = {}) {
    return {name, about, options_of<Verb>(json)};
}

// Runs a program for which "." is the agent of the directory.
int run_program(int argc, char** argv, cli::Program program);

// Every structure of a verb derives from this one.
struct Printing {
    bool json = false;  // --json
};

// The word NAME.
struct Named : Printing {
    explicit Named(cli::Command& verb, std::string_view about = "the agent");
    store::Agent require_agent(Opened& opened) const;
    std::string name;
};

// A verb that holds the agent, and waits for it with --wait[=TIME].
struct Holding : Named {
    explicit Holding(cli::Command& verb);
    life::HeldAgent hold(Opened& opened, sys::Lock::Mode mode) const;
    // Holds exactly this agent, not a later one of the same name.
    life::HeldAgent hold(Opened& opened, const store::Agent& agent, sys::Lock::Mode mode) const;
    std::optional<std::string> wait;  // "": without limit
};

// Finds the thread of -t; "": that of the branch which `current` names.
store::Thread require_thread(Opened& opened, const store::Agent& agent, const std::string& wanted);
// The member `error` of a turn.
cli::Field error_field(const store::Turn& turn);
// Returns a function that returns whether a signal came.
std::function<bool()> interrupted();
// Returns a function that returns false, and after a signal throws Error(canceled).
std::function<bool()> interruptible();

}  // namespace chorus::command
