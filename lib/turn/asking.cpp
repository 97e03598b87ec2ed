#include "turn/asking.hpp"

#include "base/text.hpp"
#include "base/time.hpp"
#include "chat/dialect.hpp"
#include "sys/clock.hpp"

namespace chorus::turn {
namespace {

constexpr std::int64_t usual_cooldown_ms = 60'000;  // if the provider names no time

LimitedAnswer all_cool(const model::Provider& provider, base::TimeMs resume_at,
                       const chat::Usage& spent) {
    LimitedAnswer none{
        model::no_answer({.category = model::Category::rate_limited,
                          .message = provider.name + ": no credential profile can be used before " +
                                     base::iso8601(resume_at)}),
        resume_at};
    none.answer.spent_before = spent;
    return none;
}

// A request is not sent again once text of its answer was shown.
bool may_be_sent_again(const model::Answer& answer, const model::Interruption& interruption) {
    return !answer.text_was_streamed && !(interruption.stop && interruption.stop());
}

}  // namespace

LimitedAnswer ask_model(const Asking& asking, const chat::Request& request,
                        const model::StreamSink& sink) {
    place::Keys& keys = asking.keys;
    const model::Interruption& given = asking.interruption;
    const model::Provider& provider = asking.account.settings.endpoint.provider;
    const store::TurnId turn = asking.account.turn;
    bool is_shown = false;
    bool is_cut = false;
    model::StreamSink shown = sink;
    if (sink.on_text)
        shown.on_text = [&](std::string_view text) {
            is_shown = true;
            sink.on_text(text);
        };
    const model::Interruption interruption{[&] {
                                               if (given.stop && given.stop()) return true;
                                               is_cut = !is_shown && (is_cut || keys.is_cut());
                                               return is_cut;
                                           },
                                           given.wake_fd};
    model::RetryPolicy policy = asking.policy;
    policy.waits_for_rate_limit = !keys.rotates(provider);
    PaidModel model(asking.account, asking.model, [&] { return keys.profile(provider); });
    chat::Usage spent;
    for (;;) {
        const std::string before = keys.profile(provider);
        const auto choice = keys.choose(provider, turn, asking.commit, given.stop);
        if (choice.resume_at != 0) return all_cool(provider, choice.resume_at, spent);
        if (asking.on_switch && !before.empty() && before != choice.name)
            asking.on_switch(before, choice.name);
        is_cut = false;
        LimitedAnswer asked{
            model::ask_with_retries(model, request, shown, interruption, policy, asking.on_retry)};
        model::Answer& answer = asked.answer;
        spent += answer.spent_before;
        const bool is_limited =
            answer.failure && answer.failure->category == model::Category::rate_limited;
        const bool is_over = !may_be_sent_again(answer, given);
        if (is_limited) {
            const std::int64_t told_ms = answer.failure->retry_after_ms.value_or(0);
            asked.resume_at = sys::now_ms() + (told_ms > 0 ? told_ms : usual_cooldown_ms);
            if (!choice.name.empty()) asked.resume_at = keys.cool(told_ms, turn, asking.commit);
        }
        const bool goes_on =
            !is_over && (is_limited ? asked.resume_at == 0 : answer.failure && is_cut);
        if (!goes_on) {
            answer.spent_before = spent;
            return asked;
        }
        spent += answer.reply.usage;
    }
}

std::string about_answer(const model::Answer& answer) {
    chat::JsonText out;
    chat::write_text(out.begin_object(), "stop", answer.reply.raw_stop);
    chat::write_text(out, "error", answer.failure ? model::name(answer.failure->category) : "");
    chat::write_usage(out, answer.reply.usage);
    return out.end_object().take();
}

}  // namespace chorus::turn
