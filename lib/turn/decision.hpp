// A person's word on what waits, from any process: it is on record before anything goes on.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/layout.hpp"
#include "store/prompts.hpp"
#include "store/store.hpp"
#include "sys/environment.hpp"
#include "turn/binding.hpp"

namespace chorus::turn {

struct Decision {
    enum class Verb { approve, deny, answer };
    Verb verb = Verb::approve;
    std::string id;                // of a prompt, or "all": those of `turn` that wait now
    std::string text;              // the answer, or the reason of a refusal
    bool always = false;           // approve: the exact action joins the agent's allow list
    bool even_if_changed = false;  // approve: whatever the files become until it runs
    store::TurnId turn = 0;        // for "all"
};

struct Decider {
    const agent::Home& home;
    const sys::Environment& environment;
    std::string actor;                             // "uid 1000 (bob)"
    std::function<void(const std::string&)> warn;  // one line for people
    // Of a process that goes on with the turn: what it saw of files that are too many to keep.
    std::map<std::string, SeenFiles>* held = nullptr;
};

// What waits beyond its time, of the whole home, does so no more. Not inside a transaction.
void expire_prompts(store::Store& store);

// What waits, of one agent or of the whole home, without what has come to its time.
std::vector<store::Prompt> waiting_prompts(store::Store& store,
                                           std::optional<store::AgentId> agent);

// `agent` may be "" where an id is given. Returns what was decided, in the order of the questions.
// Error(no_prompt) for one that is unknown, decided, expired or another agent's, Error(exited) for
// a destroyed agent's; Error(forbidden) for who may not decide; Error(bad_request) for an answer
// that does not fit.
std::vector<store::Prompt> decide(store::Store& store, const Decider& decider,
                                  const std::string& agent, const Decision& decision);

// What has changed of the files that the call may use since it was asked: "changed: Makefile", or
// "". Decides nothing.
std::string changed_since_asked(store::Store& store, const agent::Home& home,
                                const store::Prompt& prompt);

// What it asks, in one line of a person's screen but for what base::visible does.
std::string in_one_line(const store::Prompt& prompt);

// Tells what became of a prompt that can no longer be decided: "it was denied by uid 0, 2026-…".
std::string how_decided(const store::Prompt& prompt);

// The option that a text or its number stands for.
std::optional<std::string> chosen_option(const std::vector<std::string>& options,
                                         std::string_view text);

}  // namespace chorus::turn
