#include "turn/spending.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "context/window.hpp"
#include "model/price.hpp"
#include "model/recording.hpp"
#include "model/retry.hpp"
#include "sys/clock.hpp"

namespace chorus::turn {
namespace {

constexpr std::int64_t look_for_room_every_ms = 100;
constexpr std::int64_t least_answer_tokens = 256;  // a shorter one is not worth a request

std::int64_t tokens_of(const chat::Usage& usage) {
    return usage.input_tokens + usage.output_tokens;
}

std::int64_t estimated_answer(const chat::Reply& reply) {
    std::size_t bytes = reply.text.size();
    for (const chat::ToolCall& call : reply.tool_calls)
        bytes += call.name.size() + call.arguments.size();
    return static_cast<std::int64_t>(bytes / 4);
}

std::string in_words(std::int64_t most, bool is_money) {
    return is_money ? base::usd_text(most) : base::counted(most, "token");
}

}  // namespace

// One budget, in micro-dollars or tokens.
struct PaidModel::Bound {
    bool is_money = true;
    std::int64_t most = 0;
    std::int64_t settled = 0;
    std::int64_t reserved = 0;  // by other requests
    std::string text = {};      // "$5.00 a day (budget.usd_per_day)"

    std::int64_t left() const { return std::max<std::int64_t>(most - settled, 0); }
};

struct PaidModel::Admission {
    std::int64_t output_tokens = 0;
    std::string budget = {};  // that has no room for more
    bool is_bounded = false;  // by any budget
    bool is_refused = false;
    bool has_to_wait = false;
    bool was_stopped = false;
};

std::vector<PaidModel::Bound> PaidModel::bounds(base::TimeMs now) const {
    const place::SpendingLimits& limits = account_.settings.spending;
    std::vector<Bound> all;
    const auto add = [&](const place::SpendingLimit& limit, bool is_money, std::string_view span,
                         const chat::Usage& settled, const chat::Usage& reserved) {
        if (!limit.most) return;
        const auto amount = [&](const chat::Usage& usage) {
            return is_money ? std::max<std::int64_t>(usage.cost, 0) : tokens_of(usage);
        };
        all.push_back(
            {is_money, *limit.most, amount(settled), amount(reserved),
             fmt::format("{} {} ({})", in_words(*limit.most, is_money), span, limit.named)});
    };
    const auto add_days = [&](const place::SpendingLimits& of, store::AgentId agent) {
        if (!of.agent_day_usd.most && !of.agent_day_tokens.most) return;
        const store::Spent day = store::spent_on_day(account_.store, agent, now);
        add(of.agent_day_usd, true, "a day", day.settled, day.reserved);
        add(of.agent_day_tokens, false, "a day", day.settled, day.reserved);
    };
    if (limits.turn_usd.most) {
        store::Spent turn = store::spent_below(account_.store, account_.turn);
        turn.settled += account_.used();
        add(limits.turn_usd, true, "a turn", turn.settled, turn.reserved);
    }
    add_days(limits, account_.agent);
    for (const place::SpendingAbove& above : account_.settings.spending_above) {
        if (above.turn != 0 && (above.limits.turn_usd.most || above.turn_tokens.most)) {
            store::Spent turn = store::spent_below(account_.store, above.turn);
            if (const auto row = store::find_turn(account_.store, above.turn))
                turn.settled += row->usage;
            const std::string_view span = "a turn with its sub-agents";
            add(above.limits.turn_usd, true, span, turn.settled, turn.reserved);
            add(above.turn_tokens, false, span, turn.settled, turn.reserved);
        }
        add_days(above.limits, above.agent);
    }
    if (limits.home_day_usd.most || limits.home_day_tokens.most) {
        const store::Spent day = store::spent_on_day(account_.store, 0, now);
        add(limits.home_day_usd, true, "a day for all agents", day.settled, day.reserved);
        add(limits.home_day_tokens, false, "a day for all agents", day.settled, day.reserved);
    }
    return all;
}

// Reserves the call if there is room for it.
PaidModel::Admission PaidModel::admit(store::ModelCall& call, std::int64_t wanted_output,
                                      base::TimeMs now) const {
    const auto& prices = account_.settings.endpoint.facts.prices;
    const std::int64_t input = call.usage.input_tokens;
    const auto& above = account_.settings.spending_above;
    if (account_.settings.spending.has_days() || !above.empty()) store::settle_gone(account_.store);
    store::Transaction transaction(account_.store, store::Survives::process);
    const std::vector<Bound> all = bounds(now);
    Admission admission{.output_tokens = wanted_output, .is_bounded = !all.empty()};
    for (const Bound& bound : all) {
        const std::int64_t room =
            bound.is_money ? model::output_for(prices, input, bound.left()) : bound.left() - input;
        if (room >= admission.output_tokens) continue;
        admission.output_tokens = room;
        admission.budget = bound.text;
    }
    admission.is_refused = admission.output_tokens < std::min(wanted_output, least_answer_tokens);
    if (admission.is_refused) return admission;
    call.usage.output_tokens = admission.output_tokens;
    call.usage.cost = model::most_cost(prices, input, admission.output_tokens);
    for (const Bound& bound : all)
        if ((bound.is_money ? call.usage.cost : tokens_of(call.usage)) >
            bound.left() - bound.reserved) {
            admission.has_to_wait = true;
            admission.budget = bound.text;
            return admission;
        }
    store::reserve_call(account_.store, call, now);
    transaction.commit();
    return admission;
}

PaidModel::Admission PaidModel::wait_for_room(store::ModelCall& call, std::int64_t wanted_output,
                                              const model::Interruption& interruption) const {
    for (bool is_first = true;; is_first = false) {
        Admission admission = admit(call, wanted_output, sys::now_ms());
        if (!admission.has_to_wait) return admission;
        if (is_first)
            account_.warn("waiting: requests in flight have reserved what is left of " +
                          admission.budget);
        if (!model::wait_for(look_for_room_every_ms, interruption)) {
            admission.was_stopped = true;
            return admission;
        }
    }
}

void PaidModel::charge(store::ModelCall& call, model::Answer& answer, bool was_stopped,
                       base::TimeMs sent_at) const {
    chat::Usage& usage = answer.reply.usage;
    const bool is_reserved = call.id != 0;
    const std::int64_t answered = estimated_answer(answer.reply);
    const bool was_answered = answer.text_was_streamed || answered > 0;
    call.state = store::CallState::settled;
    const bool is_nothing =
        answer.failure && !was_answered && !was_stopped && tokens_of(usage) == 0;
    if (is_nothing && !is_reserved) return;
    if (is_reserved) {
        if (is_nothing) {
            store::Transaction transaction(account_.store, store::Survives::process);
            store::release_call(account_.store, call.id);
            transaction.commit();
            return;
        }
        // some servers report a part; of a cut answer, what there was at its beginning
        const std::int64_t most_read = usage.cache_read_tokens + usage.cache_write_tokens;
        const bool lacks_input = usage.input_tokens <= 0 || usage.input_tokens < most_read;
        const bool lacks_output = usage.output_tokens <= 0
                                      ? answered > 0
                                      : answer.failure && usage.output_tokens < answered;
        if (lacks_input) usage.input_tokens = std::max(call.usage.input_tokens, most_read);
        if (lacks_output) usage.output_tokens = answered;
        if (lacks_input || lacks_output || answer.failure) call.state = store::CallState::estimated;
    }
    usage.cost = model::cost_of(account_.settings.endpoint.facts.prices, usage);
    call.usage = usage;
    account_.settle(call, sent_at, answer.failure.has_value());
}

model::Answer PaidModel::ask(const chat::Request& request, const model::StreamSink& sink,
                             const model::Interruption& interruption) {
    const model::Endpoint& endpoint = account_.settings.endpoint;
    const base::TimeMs sent_at = sys::now_ms();
    store::ModelCall call{.agent_id = account_.agent,
                          .turn_id = account_.turn,
                          .model = account_.settings.model,
                          .profile = profile_()};
    Admission admission;
    std::optional<chat::Request> shortened;
    // the model inside Chorus and a recording cost nothing and answer at once
    if (endpoint.provider.protocol != model::Protocol::script && !model::is_replay(call.model)) {
        call.usage.input_tokens =
            context::estimated_opening(request) + context::estimated_tokens(request.messages);
        const std::int64_t wanted = model::most_output_tokens(endpoint, request);
        admission = wait_for_room(call, wanted, interruption);
        if (admission.was_stopped) return model::no_answer({.message = "interrupted"});
        if (admission.is_refused) {
            model::Answer none = model::no_answer({.message = "no room in the budget"});
            none.budget = admission.budget;
            return none;
        }
        // without a limit of its own, a server may write more than was reserved
        if (admission.output_tokens < wanted ||
            (admission.is_bounded && request.max_output_tokens == 0)) {
            shortened = request;
            shortened->max_output_tokens = admission.output_tokens;
        }
    }
    model::Answer answer = model_.ask(shortened ? *shortened : request, sink, interruption);
    charge(call, answer, interruption.stop && interruption.stop(), sent_at);
    if (answer.reply.stop == chat::StopReason::max_tokens) answer.budget = admission.budget;
    return answer;
}

}  // namespace chorus::turn
