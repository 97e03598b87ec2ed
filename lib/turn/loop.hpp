// One turn as a function without state: messages, tools and a model in, steps out. It never touches
// the database: its host commits what it hands over, and a test's host records it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "chat/message.hpp"
#include "model/model.hpp"

namespace chorus::turn {

enum class End {
    completed,
    max_iterations,
    tokens,  // the turn's token cap, or an answer cut at its own limit
    input_required,
    denied,         // nobody was there to decide, and the turn is not to wait
    refused,        // the model declined
    tool_failures,  // five in a row
    provider_failed,
    interrupted,  // a signal, or the time was up: the host knows which
};

struct LoopLimits {
    std::int64_t iterations = 25;
    std::int64_t tokens = 0;  // input and output together; 0: none
    int failures_in_a_row = base::limits::failures_in_a_row;
};

enum class Decided { all, suspended, failed };
enum class CallOutcome { ok, failure, neutral };  // neutral: a denial, which counts as neither

struct Ran {
    std::vector<CallOutcome> outcomes;
    Decided how = Decided::all;  // an approval that no longer fits is asked for again
};

// What the loop needs of the world. Each function commits before it returns.
class LoopHost {
  public:
    virtual ~LoopHost() = default;
    virtual bool stop_requested() = 0;
    // The context of this iteration, valid until the next; configuration and docs are read afresh.
    virtual const chat::Request& assemble(std::int64_t iteration) = 0;
    virtual model::Answer ask(const chat::Request& request) = 0;
    // An answer with calls, or a partial one.
    virtual void keep(const chat::Reply& reply) = 0;
    // All calls are decided before any runs.
    virtual Decided decide(const std::vector<chat::ToolCall>& calls) = 0;
    // Runs what may run; every call has its result committed afterwards unless a stop was
    // requested, or a call has to wait after all.
    virtual Ran run(const std::vector<chat::ToolCall>& calls) = 0;
    // Calls of an answer cut at its token limit: each gets a result saying that it was not run.
    virtual void refuse_cut(const chat::Reply& reply) = 0;
    // The final answer and the turn's end, in one transaction.
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
};

LoopEnd run_loop(LoopHost& host, const LoopLimits& limits, LoopState& state);

}  // namespace chorus::turn
