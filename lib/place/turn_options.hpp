// What a turn is asked to do, and what it needs from its process.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/configuration.hpp"
#include "agent/layout.hpp"
#include "base/enum_names.hpp"
#include "base/money.hpp"
#include "chat/event.hpp"
#include "chat/message.hpp"
#include "model/recording.hpp"
#include "store/prompts.hpp"
#include "sys/environment.hpp"
#include "sys/fingerprint.hpp"
#include "sys/signals.hpp"

namespace chorus::place {

using SeenFiles = std::shared_ptr<const sys::Fingerprint>;

// A file of -a, which was read. The attachment is complete.
struct GivenFile {
    chat::Attachment attachment;  // text/plain: it becomes part of the message
    std::shared_ptr<const std::string> bytes;
};

// How a question was answered at the terminal.
struct PersonAnswer {
    enum class What { nobody, yes, yes_even_if_changed, no, always, answer };
    What what = What::nobody;
    std::string text = {};  // the answer to a question of the model
};

// A person's decision about pending prompts.
struct PromptDecision {
    enum class Verb { approve, deny, answer };
    Verb verb = Verb::approve;
    std::string id;                // of a prompt, or "all": the pending ones of `turn`
    std::string text;              // the answer, or the reason for a denial
    bool always = false;           // approve: add the exact action to the allow list
    bool even_if_changed = false;  // approve: even if files change before it runs
    store::TurnId turn = 0;        // for "all"
};

// What happens to a question that nobody answers.
enum class OnAsk { suspend, deny, fail };
inline constexpr base::EnumNames<OnAsk, 3> on_asks{{"suspend", "deny", "fail"}};

struct TurnOptions {
    std::string agent;
    std::string prompt;                 // what the user says; unused where says_nothing()
    std::string stdin_text;             // appended in a <stdin> block
    bool prompt_is_stdin = false;       // `prompt` came from stdin: a long one becomes an artifact
    bool prompt_is_file = false;        // -f
    std::vector<GivenFile> files = {};  // -a
    bool inline_stdin = false;          // never make an artifact of it
    std::string thread;  // -t: "main", a number, a branch; "": the branch `current` names
    bool new_thread = false;
    bool ephemeral = false;       // a new thread with the window of the thread; then forgotten
    bool fresh = false;           // the window of this turn starts empty
    bool resume = false;          // continue the thread's last turn
    bool retry = false;           // the same, without its failed tail
    bool inbox = false;           // run a turn for the inbox
    bool queue = false;           // put it into the inbox if a turn of the thread is at work
    bool cancel_prompts = false;  // cancel pending questions
    OnAsk on_ask = OnAsk::suspend;
    bool on_ask_given = false;               // else --resume takes that of the turn
    std::optional<PromptDecision> decision;  // --approve, --deny, --answer: decided before going on
    std::string directory;                   // -C, absolute; "": the agent's workspace
    std::string stands_in = {};              // the caller's directory below the root: "src/lib"
    std::string model;                       // -m
    std::string fallback_model = {};         // --fallback-model
    bool has_fallen_back = false;            // it has taken over
    bool names_are_full = false;             // model and fallback_model were resolved before
    std::optional<agent::Permissions> permissions = {};  // instead of the agent's, for this turn
    agent::ModelOptions model_options = {};              // --effort, --max-tokens, --temperature
    std::string json_schema = {};                        // --json-schema, checked
    std::shared_ptr<model::Recorder> recorder = {};      // --record
    std::shared_ptr<model::Replay> replay = {};          // of model, which is replay/FILE
    bool strict = false;                                 // the requests must be the recorded ones
    std::optional<std::int64_t> max_iterations;
    std::optional<base::MicroUsd> max_usd;  // --max-usd
    std::int64_t deadline_ms = 0;           // when --timeout is up, monotonic; 0: never
    std::int64_t wait_ms = 0;               // for the thread's lock; negative: without limit
    std::string idempotency_key;
    bool wait_parked = false;               // sleep while rate-limited, then go on
    std::string profile_mode;               // --profile-mode
    std::string groom;                      // --groom: agent::groom_in_force
    std::vector<std::string> decided = {};  // ids of the prompts this process has decided
    // File states that --approve of this process saw and that are too large to store.
    std::map<std::string, SeenFiles> held = {};
    std::string metadata = {};  // --meta: a JSON object of strings, or ""
    std::string actor;          // --actor: recorded beside the uid, not trusted

    // There is no message of the user.
    bool says_nothing() const { return resume || retry || inbox || decision.has_value(); }
};

// What a turn needs from its process.
struct Surroundings {
    const agent::Home& home;
    const sys::Environment& environment;
    const sys::Interrupt& interrupt;
    std::function<void(const chat::Event&, const chat::EventSource&)> on_event;
    std::function<void(const std::string&)> warn;   // one line for people
    std::function<void(const std::string&)> alert;  // one that --quiet does not silence
    // content-delta events are shown as they come. A broken answer is then not requested again.
    bool shows_text = false;
    // Empty: nobody to ask. Returns PersonAnswer::What::nobody if `settled` says that another
    // process has decided the question.
    std::function<PersonAnswer(const chat::PromptNotice&, const std::function<bool()>& settled)>
        ask;
    std::function<void(const store::Prompt&)> on_decision = {};  // each, once recorded
    // Gets the result before it is posted to the channel, so that the caller need not wait for
    // that.
    std::function<void(const chat::TurnResult&)> on_end = {};
};

}  // namespace chorus::place
