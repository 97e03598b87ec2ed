// A verb of chorus-context: a file beside this one and its row in the table of chorus-context.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "agent/layout.hpp"
#include "base/error.hpp"
#include "store/store.hpp"
#include "sys/environment.hpp"

namespace CLI {
class App;
}

namespace chorus::context_command {

// What a verb gets to work with; the store is open where its row says so.
struct Opened {
    sys::Environment environment;
    agent::Home home;
    std::optional<store::Store> store;
};

using Action = std::function<base::ExitStatus(Opened&)>;

enum class Needs { home, store };

struct Verb {
    std::string_view name;
    std::string_view help;
    Needs needs = Needs::store;
    Action (*add)(CLI::App& verb) =
        nullptr;  // its options; returns what runs after they were parsed
};

Action add_audit(CLI::App& verb);
Action add_explain(CLI::App& verb);
Action add_verify(CLI::App& verb);

}  // namespace chorus::context_command
