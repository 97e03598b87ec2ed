// One turn as a function without state. It never touches the database: its host commits what it is
// given, and a test's host records it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_names.hpp"
#include "chat/message.hpp"
#include "model/model.hpp"

namespace chorus::turn {

enum class End {
    completed,
    max_iterations,
    tokens,  // the turn's token cap, or an answer cut at its own limit
    budget,  // it has no room for another request, or for all of the answer
    input_required,
    denied,         // approval was needed, and on_ask is fail
    refused,        // the model declined
    tool_failures,  // five in a row
    provider_failed,
    schema_mismatch,  // the final answer is not what --json-schema asks for
    interrupted,      // by a signal or --timeout: the host knows which
};

struct LoopLimits {
    std::int64_t iterations = 25;
    std::int64_t tokens = 0;  // input and output together; 0: none
};

enum class Decided { all, suspended, failed };
// Says how a call ended; its row holds the name.
enum class CallOutcome { none, ok, error, denied, interrupted, unknown, cancelled, expired };
inline constexpr base::EnumNames<CallOutcome, 8> call_outcomes{
    {"", "ok", "error", "denied", "interrupted", "unknown", "cancelled", "expired"}};

struct Ran {
    std::vector<CallOutcome> outcomes;
    Decided how = Decided::all;  // an approval that no longer fits is asked for again
};

// What the loop needs from outside. Each function commits before it returns.
class LoopHost {
  public:
    virtual ~LoopHost() = default;
    virtual bool stop_requested() = 0;
    // Returns the tokens that sub-agents of the turn have used.
    virtual std::int64_t tokens_below() { return 0; }
    // Returns the context of this iteration, valid until the next. Reads configuration and docs
    // again.
    virtual const chat::Request& assemble(std::int64_t iteration) = 0;
    virtual model::Answer ask(const chat::Request& request) = 0;
    // Records an answer with calls, or a partial one.
    virtual void keep(const chat::Reply& reply) = 0;
    // All calls are decided before any runs.
    virtual Decided decide(const std::vector<chat::ToolCall>& calls) = 0;
    // Runs the allowed calls. Afterwards the result of every call is committed, unless a stop was
    // requested or a call has to wait for a decision after all.
    virtual Ran run(const std::vector<chat::ToolCall>& calls) = 0;
    // Gives each call of an answer cut at its token limit a result saying that it was not run.
    virtual void refuse_cut(const chat::Reply& reply) = 0;
    // Returns what of the final answer is not as it was asked for, or "", and sets `text` to what
    // of it counts.
    virtual std::string check(std::string& text) = 0;
    // Records an answer and that the model is to repair it.
    virtual void refuse_answer(const chat::Reply& reply, const std::string& problem) = 0;
    // Records the final answer and the turn's end in one transaction.
    // `text` is the whole answer, with what was said before a pause.
    virtual void conclude(const chat::Reply& reply, const std::string& text) = 0;
};

struct LoopState {
    std::int64_t iterations = 0;  // those of earlier attempts included
    std::int64_t tool_calls = 0;
    chat::Usage usage;
};

struct LoopEnd {
    End end = End::completed;
    std::string text;  // of the last answer
    std::optional<model::Failure> failure;
    std::string raw_stop;
    std::string budget;
    std::string problem;  // of the answer
};

LoopEnd run_loop(LoopHost& host, const LoopLimits& limits, LoopState& state);

}  // namespace chorus::turn
