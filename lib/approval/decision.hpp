// A person's decision about a pending prompt, from any process. It is recorded before the turn
// continues.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/layout.hpp"
#include "place/turn_options.hpp"
#include "store/prompts.hpp"
#include "store/store.hpp"
#include "sys/environment.hpp"

namespace chorus::approval {

struct DecisionContext {
    const agent::Home& home;
    const sys::Environment& environment;
    std::string actor;                             // "uid 1000 (bob)"
    std::function<void(const std::string&)> warn;  // one line for people
    // For a process that continues the turn: file states it saw that are too large to store.
    std::map<std::string, place::SeenFiles>* held = nullptr;
};

// Records the decision. `agent` may be "" if an id is given. Returns the decided prompts in the
// order of the questions. Error(no_prompt) for a prompt that is unknown, decided, expired or
// another agent's; Error(exited) for one of a destroyed agent; Error(forbidden) if this person may
// not decide; Error(bad_request) for an answer that does not fit.
std::vector<store::Prompt> decide(store::Store& store, const DecisionContext& decider,
                                  const std::string& agent, const place::PromptDecision& decision);

// Returns which of the files that the call may use have changed since the question: "changed:
// Makefile", or "". Decides nothing.
std::string changed_since_asked(store::Store& store, const agent::Home& home,
                                const store::Prompt& prompt);

// Returns what the prompt asks, as one line to be passed through base::visible.
std::string in_one_line(const store::Prompt& prompt);

// Returns what became of a prompt that can no longer be decided: "it was denied by uid 0, 2026-…".
std::string how_decided(const store::Prompt& prompt);

// Returns the option that the text names, literally or by number.
std::optional<std::string> chosen_option(const std::vector<std::string>& options,
                                         std::string_view text);

}  // namespace chorus::approval
