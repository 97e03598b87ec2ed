#include "turn/loop.hpp"

#include "base/limits.hpp"
#include "base/text.hpp"

namespace chorus::turn {
namespace {

using chat::StopReason;

std::int64_t spent(const chat::Usage& usage) {
    return usage.input_tokens + usage.output_tokens;
}

// Returns the end that a final answer's stop reason means.
End end_of(StopReason stop) {
    switch (stop) {
        case StopReason::max_tokens:
            return End::tokens;
        case StopReason::refusal:
        case StopReason::content_filter:
            return End::refused;
        case StopReason::context_overflow:
        case StopReason::truncated_stream:
        case StopReason::unknown:
            return End::provider_failed;
        case StopReason::end:
        case StopReason::tool_use:
        case StopReason::pause:
            return End::completed;
    }
    return End::completed;
}

End end_of(Decided how) {
    return how == Decided::suspended ? End::input_required : End::denied;
}

std::optional<model::Failure> failure_of(const chat::Reply& reply) {
    if (end_of(reply.stop) != End::provider_failed) return std::nullopt;
    model::Failure failure;
    failure.context_overflow = reply.stop == StopReason::context_overflow;
    failure.message = failure.context_overflow
                          ? "the conversation is larger than the model's context"
                      : reply.stop == StopReason::unknown
                          ? "the answer ended with " + base::quoted(reply.raw_stop)
                          : "the answer was cut";
    return failure;
}

// Keeps the text that came before a failure; the calls of an incomplete answer are never kept.
void keep_partial(LoopHost& host, const model::Answer& answer) {
    if (answer.reply.text.empty()) return;
    chat::Reply partial;
    partial.text = answer.reply.text;
    partial.usage = answer.reply.usage;
    partial.stop = answer.reply.stop;
    host.keep(partial);
}

}  // namespace

LoopEnd run_loop(LoopHost& host, const LoopLimits& limits, LoopState& state) {
    LoopEnd end;
    std::string paused;  // what the model said before it paused
    const auto ended = [&](End how) {
        end.end = how;
        return end;
    };
    int repairs = 0;   // of the final answer
    int failures = 0;  // errors in a row: a success resets them, a denial does not change them
    const auto are_too_many = [&](const std::vector<CallOutcome>& outcomes) {
        for (const CallOutcome outcome : outcomes) {
            if (outcome == CallOutcome::ok) failures = 0;
            if (outcome == CallOutcome::error) ++failures;
            if (failures >= base::limits::failures_in_a_row) return true;
        }
        return false;
    };
    for (;;) {
        if (host.stop_requested()) return ended(End::interrupted);
        if (state.iterations >= limits.iterations) return ended(End::max_iterations);
        if (limits.tokens > 0 && spent(state.usage) + host.tokens_below() >= limits.tokens) {
            end.budget = base::counted(limits.tokens, "token") + " a turn (budget.tokens_per_turn)";
            return ended(End::tokens);
        }
        end.budget.clear();
        const chat::Request& request = host.assemble(state.iterations + 1);
        model::Answer answer = host.ask(request);
        if (!answer.failure || answer.budget.empty()) ++state.iterations;
        state.usage += answer.spent_before;
        state.usage += answer.reply.usage;
        const chat::Reply& reply = answer.reply;
        end.budget = answer.budget;
        if (answer.failure && !answer.budget.empty()) return ended(End::budget);
        if (answer.failure) {
            keep_partial(host, answer);
            if (!reply.text.empty()) end.text = paused + reply.text;
            end.failure = answer.failure;
            if (answer.failure->declined) return ended(End::refused);
            return ended(host.stop_requested() ? End::interrupted : End::provider_failed);
        }
        end.text = paused + reply.text;
        end.raw_stop = reply.raw_stop;

        if (reply.tool_calls.empty()) {
            if (reply.stop == StopReason::pause) {
                host.keep(reply);
                paused = end.text;
                continue;
            }
            if (end_of(reply.stop) != End::completed) {
                if (!reply.text.empty()) host.keep(reply);
                end.failure = failure_of(reply);
                return ended(answer.budget.empty() ? end_of(reply.stop) : End::budget);
            }
            end.problem = host.check(end.text);
            if (end.problem.empty()) {
                host.conclude(reply, end.text);
                return ended(End::completed);
            }
            if (repairs == base::limits::answer_repairs) {
                host.keep(reply);
                return ended(End::schema_mismatch);
            }
            ++repairs;
            host.refuse_answer(reply, end.problem);
            paused.clear();
            continue;
        }

        if (end_of(reply.stop) == End::refused || end_of(reply.stop) == End::provider_failed) {
            // cut off at an unknown point: its calls are not run
            keep_partial(host, answer);
            end.failure = failure_of(reply);
            return ended(end_of(reply.stop));
        }
        host.keep(reply);
        paused.clear();
        state.tool_calls += static_cast<std::int64_t>(reply.tool_calls.size());
        if (reply.stop == StopReason::max_tokens) {
            host.refuse_cut(reply);
            if (are_too_many({CallOutcome::error})) return ended(End::tool_failures);
            continue;
        }
        Ran ran{{}, host.decide(reply.tool_calls)};
        if (ran.how == Decided::all) ran = host.run(reply.tool_calls);
        if (ran.how != Decided::all) return ended(end_of(ran.how));
        if (are_too_many(ran.outcomes))
            return ended(host.stop_requested() ? End::interrupted : End::tool_failures);
    }
}

}  // namespace chorus::turn
