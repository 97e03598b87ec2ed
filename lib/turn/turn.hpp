// chorus-run: one user message in, the model and its tools until the model stops, the answer out.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "agent/configuration.hpp"
#include "agent/layout.hpp"
#include "chat/event.hpp"
#include "sys/environment.hpp"
#include "sys/signals.hpp"
#include "turn/binding.hpp"
#include "turn/decision.hpp"

namespace chorus::turn {

// How a question was answered at the terminal.
struct Reply {
    enum class What { nobody, yes, yes_even_if_changed, no, always, answer };
    What what = What::nobody;
    std::string text = {};  // the answer to a question of the model
};

// What becomes of an ask that nobody answers.
enum class OnAsk { suspend, deny, fail };
std::string_view name(OnAsk on_ask);
std::optional<OnAsk> parse_on_ask(std::string_view text);

struct TurnOptions {
    std::string agent;
    std::string prompt;            // what the user says; unused where says_nothing()
    std::string stdin_text;        // appended in a <stdin> block
    bool prompt_is_stdin = false;  // `prompt` came from stdin: a long one becomes an artifact
    bool prompt_is_file = false;   // -f
    bool inline_stdin = false;     // never make an artifact of it
    std::string thread;            // -t: "main", a number, a branch; "": the branch `current` names
    bool new_thread = false;
    bool fresh = false;           // the window of this turn starts empty
    bool resume = false;          // go on with the thread's last turn
    bool retry = false;           // the same, without its failed tail
    bool inbox = false;           // a turn of what waits in the inbox
    bool queue = false;           // for the inbox where a turn of the thread is at work
    bool cancel_prompts = false;  // questions that wait are withdrawn
    OnAsk on_ask = OnAsk::suspend;
    bool on_ask_given = false;         // else --resume takes that of the turn
    std::optional<Decision> decision;  // --approve, --deny, --answer: decided before going on
    std::string directory;             // -C, absolute; "": the agent's workspace
    std::string stands_in = {};        // where in what it works in the person is: "src/lib"
    std::string model;                 // -m
    std::optional<agent::Permissions> permissions = {};  // instead of the agent's, for this turn
    std::optional<std::int64_t> max_iterations;
    std::int64_t deadline_ms = 0;  // when --timeout is up, monotonic; 0: never
    std::int64_t wait_ms = 0;      // for the thread's lock; negative: as long as it takes
    std::string idempotency_key;
    std::string groom;                      // --groom: agent::groom_in_force
    std::vector<std::string> decided = {};  // the ids of what this process has decided
    // What --approve of this process saw of files too many to keep.
    std::map<std::string, SeenFiles> held = {};
    std::string actor;  // --actor, recorded beside the uid, trusted for nothing

    // There is no message of the user.
    bool says_nothing() const { return resume || retry || inbox || decision.has_value(); }
};

// What the process has that a turn needs of it.
struct Surroundings {
    const agent::Home& home;
    const sys::Environment& environment;
    const sys::Interrupt& interrupt;
    std::function<void(const chat::Event&, const chat::EventSource&)> on_event;
    std::function<void(const std::string&)> warn;  // one line for people
    // Somebody sees content-delta events as they come: a broken answer is not asked for again then.
    bool shows_text = false;
    // Empty: nobody to ask. Ends with Reply::What::nobody where `settled` says that another process
    // has decided it.
    std::function<Reply(const chat::PromptNotice&, const std::function<bool()>& settled)> ask;
    std::function<void(const store::Prompt&)> on_decision = {};  // each, once it is on record
    // The result, before the channel hears of it: whoever waits for the answer does not wait for
    // that.
    std::function<void(const chat::TurnResult&)> on_end = {};
};

// Throws base::Error for whatever keeps the turn from beginning; from then on every end is a
// result. What came into the inbox too late for the turn gets turns of its own, when on_end has
// had the result.
chat::TurnResult take_turn(const TurnOptions& options, const Surroundings& surroundings);

// The request that would be sent, as its provider's JSON; "" where there is none. Commits nothing,
// calls nobody.
std::string dry_run(const TurnOptions& options, const Surroundings& surroundings);

}  // namespace chorus::turn
