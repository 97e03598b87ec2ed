#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "chat/commands.hpp"
#include "model/answer_schema.hpp"
#include "repo/repository.hpp"
#include "sys/clock.hpp"
#include "turn/hand_back.hpp"
#include "turn/last_turn.hpp"
#include "turn/live.hpp"

namespace chorus::turn {
namespace {

using base::Error;
using base::ErrorCode;
using base::ExitStatus;
using chat::State;

// Returns the hint for a turn that its budget ended. `budget`: "$0.10 a turn (--max-usd)".
std::string way_past(const std::string& budget, const std::string& goes_on) {
    if (budget.find(" a turn") == std::string::npos)
        return "when it has room again, continue with: " + goes_on;
    if (budget.ends_with("(--max-usd)")) return goes_on + " --max-usd N";
    return "give it more with chorus-config set, and continue with: " + goes_on;
}

}  // namespace

void LiveTurn::fill_failure(const model::Failure& failure) {
    result_.error_category = model::name(failure.category);
    ErrorCode code = model::error_code(failure.category);
    const std::string goes_on = chat::resume_command(place_.agent.name, place_.thread.id);
    const model::Provider& provider = loaded_.settings.endpoint.provider;
    std::string reason;
    std::string hint;
    if (failure.category == model::Category::rate_limited) {
        reason = rate_limited_reason;
        result_.resume_at = std::max(resume_at_, sys::now_ms());
        if (!place_.options.ephemeral) {
            code = ErrorCode::parked;
            const std::string other = keys_.other_profile(provider);
            hint = (other.empty() ? ""
                                  : "at once: chorus-config profiles switch " + other +
                                        ", and then " + goes_on + "; ") +
                   ways_past_parking(place_, place_.thread.id, result_.resume_at);
            keep_cooling(record_.turn(), keys_.credential(provider));
        }
    }
    if (failure.category == model::Category::unauthorized) {
        const std::string profile = keys_.profile(provider);
        const std::string login = "chorus-config login " + provider.name;
        hint =
            (profile.empty()
                 ? "set " + provider.key_variable + " to a valid key, or run " + login
                 : "give profile " + profile + " a valid key: " + login + " --profile " + profile) +
            "; then continue with: " + goes_on;
    }
    const bool may_pass = failure.category == model::Category::out_of_credits ||
                          failure.category == model::Category::no_internet ||
                          failure.category == model::Category::server_error;
    if (may_pass) hint = "when that has passed, continue with: " + goes_on;
    const bool is_alone = std::none_of(
        request_.messages.begin(), request_.messages.end(), [&](const chat::Message& message) {
            return message.turn_id != 0 && message.turn_id != record_.turn().id;
        });
    if (failure.context_overflow)
        hint = is_alone ? "the window holds nothing else: put long texts into files of the "
                          "workspace, which the model can view in parts"
                        : "chorus-context clear " + place_.agent.name +
                              " empties the window, chorus-run " + place_.agent.name +
                              " --fresh MESSAGE begins one turn with an empty window";
    set_end(
        result_, State::failed, reason,
        {code, "model " + loaded_.settings.model + ": " + place_.redaction.apply(failure.message),
         hint});
}

void LiveTurn::fill_counts() {
    result_.usage = record_.turn().usage;
    result_.iterations = state_.iterations;
    result_.tool_calls = state_.tool_calls;
    if (state_.tool_calls > 0)
        result_.artifacts = written_artifacts(place_.store, record_.turn().id);
    record_.turn().iterations = state_.iterations;
    record_.turn().tool_calls = state_.tool_calls;
}

// Implements the table in section ENDS of chorus(7).
void LiveTurn::fill(const LoopEnd& end) {
    result_.text = place_.redaction.without_active(end.text);
    if (end.end != End::input_required) result_.work = hand_back(place_, record_.turn());
    record_.turn().commit_after = repo::head_of(place_.root.path()).commit;
    fill_counts();
    const std::string goes_on = chat::resume_command(place_.agent.name, record_.turn().thread_id);
    const auto ended = [&](State state, std::string reason, ErrorCode code, std::string message,
                           std::string hint = {}) {
        set_end(result_, state, std::move(reason), {code, std::move(message), std::move(hint)});
    };
    switch (end.end) {
        case End::completed:
            result_.state = State::completed;
            result_.exit_status = ExitStatus::done;
            return;
        case End::max_iterations:
            return ended(State::completed, "max_iterations", ErrorCode::limit,
                         "turn: ended after " + base::counted(state_.iterations, "model call"),
                         goes_on + " --max-iterations N");
        case End::tokens:
            return ended(State::completed, std::string(tokens_reason), ErrorCode::limit,
                         end.budget.empty() ? "turn: ended at its token limit"
                                            : "turn: ended at its token limit: " + end.budget,
                         end.budget.empty() ? goes_on : way_past(end.budget, goes_on));
        case End::budget:
            return ended(State::completed, std::string(budget_reason), ErrorCode::limit,
                         "turn: ended at its budget: " + end.budget, way_past(end.budget, goes_on));
        case End::input_required:
            result_.prompts = calls_.prompts();
            return ended(State::input_required, reason_of(result_.prompts),
                         ErrorCode::input_required, "turn: it waits for a decision");
        case End::denied:
            return ended(
                State::failed, "denied", ErrorCode::denied,
                "turn: --on-ask is fail, and a person has to decide about " +
                    (result_.denied.empty() ? "a call of a sub-agent"
                                            : result_.denied.back().action),
                goes_on +
                    " goes on without it; a turn with --on-ask suspend waits for the decision");
        case End::refused:
            return ended(
                State::failed, refused_reason, ErrorCode::failed,
                "model " + loaded_.settings.model + ": it declined to answer (" +
                    (end.failure ? place_.redaction.apply(end.failure->message) : end.raw_stop) +
                    "); this turn is on record and is not sent again");
        case End::tool_failures:
            return ended(State::failed, "tool_failures", ErrorCode::failed,
                         "turn: five tool failures in a row", goes_on);
        case End::provider_failed:
            return fill_failure(end.failure.value_or(model::Failure{}));
        case End::schema_mismatch:
            return ended(State::failed, schema_reason, ErrorCode::schema_mismatch,
                         "turn: the answer does not match --json-schema: " +
                             place_.redaction.apply(end.problem),
                         goes_on);
        case End::interrupted:
            if (!shutdown_.by_signal())
                return ended(State::failed, "timeout", ErrorCode::timeout,
                             "turn: the time given with --timeout is up" +
                                 (end.failure && end.failure->category != model::Category::other
                                      ? "; the model's last error: " +
                                            place_.redaction.apply(end.failure->message)
                                      : ""),
                             goes_on);
            ended(State::canceled, "signal", ErrorCode::canceled, "turn: interrupted", goes_on);
            result_.exit_status =
                static_cast<ExitStatus>(128 + place_.surroundings.interrupt.signal());
            return;
    }
}

std::string LiveTurn::check(std::string& text) {
    if (place_.options.json_schema.empty()) return {};
    const model::AnswerSchema schema(place_.options.json_schema, "--json-schema");
    model::CheckedAnswer checked = schema.check(text);
    if (checked.problem.empty()) text = std::move(checked.json);
    return checked.problem;
}

void LiveTurn::refuse_answer(const chat::Reply& reply, const std::string& problem) {
    record_.keep(reply, invalid_answer(place_.redaction.apply(problem)));
    tell(reply);
    place_.surroundings.warn("the answer does not match --json-schema: " +
                             place_.redaction.apply(problem) + "; the model is asked again");
}

void LiveTurn::conclude(const chat::Reply& reply, const std::string& text) {
    LoopEnd end;
    end.text = text;
    fill(end);
    if (!place_.options.json_schema.empty()) result_.structured = result_.text;
    record_.conclude(reply, result_);
    concluded_ = true;
    tell(reply);
}

}  // namespace chorus::turn
