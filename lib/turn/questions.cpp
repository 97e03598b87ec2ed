#include "turn/questions.hpp"

#include <algorithm>
#include <utility>

#include "approval/decision.hpp"
#include "approval/expiry.hpp"
#include "approval/widening.hpp"
#include "base/id.hpp"
#include "chat/asked.hpp"
#include "chat/json.hpp"
#include "sys/clock.hpp"
#include "tools/user_question.hpp"
#include "turn/last_turn.hpp"

namespace chorus::turn {

using policy::Verdict;

std::vector<Judged*> all_of(std::vector<Judged>& calls) {
    std::vector<Judged*> all;
    for (Judged& call : calls) all.push_back(&call);
    return all;
}

void allow(Judged& judged, std::string decision, std::string detail) {
    judged.asks = false;
    judged.audited = false;
    judged.runs = true;
    judged.decision = std::move(decision);
    judged.detail = std::move(detail);
}

void refuse(Judged& judged, std::string decision, const std::string& reason,
            const std::string& text) {
    judged.asks = false;
    judged.audited = false;
    judged.runs = false;
    judged.decision = std::move(decision);
    judged.detail = reason;
    judged.outcome = CallOutcome::denied;
    judged.result = {"denied: " + (text.empty() ? reason : text), true};
}

chat::PromptNotice notice_of(const store::Prompt& prompt) {
    chat::PromptNotice notice{prompt.id,        prompt.kind, prompt.action,     prompt.tool,
                              prompt.arguments, prompt.text, prompt.expires_at, {}};
    notice.options = chat::parse_options(prompt.options);
    return notice;
}

std::string reason_of(const std::vector<chat::PromptNotice>& prompts) {
    const bool permission = std::any_of(prompts.begin(), prompts.end(), [](const auto& one) {
        return one.kind == chat::PromptKind::permission;
    });
    return permission || prompts.empty() ? "permission" : "question";
}

store::Prompt Questions::new_row(const Judged& judged) const {
    store::Prompt prompt;
    prompt.created_at = sys::now_ms();
    prompt.expires_at = prompt.created_at + place_.home_configuration.prompt_ttl_ms;
    prompt.id = base::random_short_id(8);
    prompt.agent_id = place_.agent.id;
    prompt.turn_id = record_.turn().id;
    prompt.kind = judged.is_question() ? chat::PromptKind::question : chat::PromptKind::permission;
    prompt.tool_call_id = judged.id;
    prompt.action = judged.action;
    prompt.tool = judged.name;
    prompt.arguments = judged.arguments;
    if (judged.binding) approval::write_binding(*judged.binding, prompt);
    prompt.text = judged.detail;
    if (judged.is_question()) {
        const tools::Question question = tools::question_of(judged.parsed);
        prompt.text = question.text;
        if (!question.options.empty()) prompt.options = chat::dump(question.options);
    }
    return prompt;
}

// A row would store the secret of a call that holds one.
bool Questions::may_be_stored(const Judged& judged) const {
    return !place_.redaction.changes(judged.arguments);
}

void Questions::reopen(Judged& judged, const std::string& why) {
    if (judged.row) {
        store::Transaction transaction(place_.store);
        store::cancel_prompt(place_.store, judged.row->id, sys::now_ms());
        transaction.commit();
    }
    judged.row.reset();
    judged.approved.reset();
    judged.audited = false;
    judged.prompt_id.clear();
    judged.decision.clear();
    judged.runs = false;
    judged.asks = true;
    judged.detail = std::string(chat::asked_again) + place_.redaction.apply(why);
}

// Applies the decision in the row.
void Questions::take_row(Judged& judged) {
    const store::Prompt& row = *judged.row;
    // a consumed answer may be given again if its result was lost
    judged.prompt_id = row.consumed_at == 0 ? row.id : "";
    if (row.state == store::PromptState::approved) {
        judged.approved = approval::binding_of(place_.store, row, place_.options.held);
        allow(judged, "ask_approved", "approved by " + row.decided_by + ", prompt " + row.id);
    } else if (row.state == store::PromptState::answered) {
        judged.answer = row.answer;
        allow(judged, "ask_approved", "answered by " + row.decided_by + ", prompt " + row.id);
    } else if (row.state == store::PromptState::denied) {
        refuse(judged, "ask_denied", "denied by " + row.decided_by,
               "the user denied this call" + (row.answer.empty() ? "" : ": " + row.answer));
    } else {
        refuse(judged, "ask_denied", "nobody decided it in time");
        judged.outcome = CallOutcome::expired;
    }
    // otherwise the deciding process has written the audit row
    judged.audited = row.state != store::PromptState::expired;
}

void Questions::heed(Judged& judged, Verdict verdict) {
    const auto rows = store::load_prompts(place_.store, record_.turn().id);
    const auto row = std::find_if(rows.rbegin(), rows.rend(), [&](const store::Prompt& one) {
        return one.tool_call_id == judged.id && one.state != store::PromptState::cancelled &&
               (one.consumed_at == 0 || is_repeated(judged.tool->kind));
    });
    if (row == rows.rend()) return;
    // the profile has changed and no approval is needed any more
    if (row->state == store::PromptState::pending && !judged.asks) return;
    judged.row = *row;
    if (row->state == store::PromptState::pending) {
        judged.asks = true;
        judged.runs = false;
        return;
    }
    take_row(judged);
    if (verdict == Verdict::ask) compare(judged);
}

void Questions::compare(Judged& judged) {
    if (!judged.approved) return;
    const std::string why = approval::difference(*judged.approved, *judged.binding);
    if (!why.empty()) reopen(judged, why);
}

// Applies the row if somebody else has decided it or it has expired.
bool Questions::take_settled_row(Judged& judged) {
    approval::expire_prompts(place_.store);
    judged.row = store::find_prompt(place_.store, judged.row->id);
    if (judged.row->state == store::PromptState::pending) return false;
    take_row(judged);
    return true;
}

// Returns false if the prompt was already decided.
bool Questions::settle_row(Judged& judged, const place::PersonAnswer& reply) {
    Judged decided = judged;
    take_reply(decided, reply);
    store::Prompt row = *judged.row;
    row.state = reply.what == place::PersonAnswer::What::no       ? store::PromptState::denied
                : reply.what == place::PersonAnswer::What::answer ? store::PromptState::answered
                                                                  : store::PromptState::approved;
    row.decided_at = sys::now_ms();
    row.decided_by = record_.turn().actor;
    row.answer = place_.redaction.apply(reply.text);
    if (judged.binding && row.state == store::PromptState::approved)
        approval::write_binding(*judged.binding, row);
    store::Transaction transaction(place_.store);
    if (!approval::record_decision(place_.store, place_.agent, row, decided.detail)) return false;
    transaction.commit();
    judged = std::move(decided);
    judged.audited = true;
    return true;
}

void Questions::take_reply(Judged& judged, const place::PersonAnswer& reply) const {
    if (judged.row) judged.prompt_id = judged.row->id;
    switch (reply.what) {
        case place::PersonAnswer::What::nobody:
            return;
        case place::PersonAnswer::What::no:
            return refuse(judged, "ask_denied", "User denied", "the user denied this call");
        case place::PersonAnswer::What::answer:
            judged.answer = reply.text;
            return allow(judged, "ask_approved", "User answered at the terminal");
        case place::PersonAnswer::What::always:
        case place::PersonAnswer::What::yes:
        case place::PersonAnswer::What::yes_even_if_changed:
            judged.approved = judged.binding;
            return allow(judged, "ask_approved",
                         judged.binding->state == approval::any_state
                             ? "User approved at the terminal, even if files change"
                             : "User approved at the terminal");
    }
}

// Called often, so the row is read only if another process has written to the database.
bool Questions::is_settled(const std::string& id) {
    const std::int64_t version = place_.store.version_by_others();
    if (version == seen_version_) return false;
    seen_version_ = version;
    const auto row = store::find_prompt(place_.store, id);
    return row && row->state != store::PromptState::pending;
}

place::PersonAnswer Questions::ask_until_settled(Judged& judged) {
    chat::PromptNotice notice = notice_of(judged.row ? *judged.row : new_row(judged));
    const auto settled = [&] { return judged.row && is_settled(judged.row->id); };
    const auto& ask = place_.surroundings.ask;
    if (!judged.binding || judged.is_question()) return ask(notice, settled);
    const approval::Binding asked =
        judged.row ? approval::binding_of(place_.store, *judged.row, {}) : *judged.binding;
    for (;;) {
        notice.changed = approval::changed_files(asked, *judged.binding);
        const place::PersonAnswer reply = ask(notice, settled);
        const approval::Binding shown = *judged.binding;
        judged.binding = bind_(judged);
        if (reply.what == place::PersonAnswer::What::yes_even_if_changed)
            judged.binding->state = approval::any_state;
        const bool is_yes = reply.what == place::PersonAnswer::What::yes;
        if (!is_yes || approval::changed_files(shown, *judged.binding).empty()) return reply;
    }
}

place::PersonAnswer Questions::ask(Judged& judged) {
    if (!place_.surroundings.ask) return {};
    if (!judged.row && may_be_stored(judged)) judged.row = new_row(judged);
    if (judged.row) record_.begin_asking(*judged.row);
    const place::PersonAnswer reply = ask_until_settled(judged);
    const bool is_answered = reply.what != place::PersonAnswer::What::nobody;
    bool holds = is_answered;
    if (judged.row && (!is_answered || !settle_row(judged, reply))) {
        holds = false;
        if (take_settled_row(judged))
            place_.surroundings.warn("prompt " + judged.row->id + ": " +
                                     (is_answered ? "the answer came too late: " : "") +
                                     approval::how_decided(*judged.row));
    } else if (!judged.row) {
        take_reply(judged, reply);
    }
    if (judged.row) record_.end_asking();
    return holds ? reply : place::PersonAnswer{};
}

bool Questions::ask_for_sub_agents() {
    const auto& ask = place_.surroundings.ask;
    if (!ask) return false;
    const approval::DecisionContext decider{place_.surroundings.home,
                                            place_.surroundings.environment, place_.actor(),
                                            place_.surroundings.warn, &place_.options.held};
    using Verb = place::PromptDecision::Verb;
    using What = place::PersonAnswer::What;
    for (const store::Prompt& prompt : asked_of(place_, record_.turn()).pending) {
        chat::PromptNotice notice = notice_of(prompt);
        if (const auto asking = store::find_agent(place_.store, prompt.agent_id))
            notice.sub_agent = asking->name;
        record_.begin_asking(prompt);
        const place::PersonAnswer reply = ask(notice, [&] { return is_settled(prompt.id); });
        record_.end_asking();
        const auto row = store::find_prompt(place_.store, prompt.id);
        if (row && row->state != store::PromptState::pending) {
            place_.surroundings.warn("prompt " + row->id + ": " + approval::how_decided(*row));
            continue;
        }
        if (reply.what == What::nobody) return false;
        place::PromptDecision decision{.verb = reply.what == What::no       ? Verb::deny
                                               : reply.what == What::answer ? Verb::answer
                                                                            : Verb::approve,
                                       .id = prompt.id,
                                       .text = reply.text};
        decision.even_if_changed = reply.what == What::yes_even_if_changed;
        if (reply.what == What::always)
            place_.surroundings.warn(
                "always: the permissions of a sub-agent are those of its preset; it is approved "
                "this once");
        try {
            (void)approval::decide(place_.store, decider, "", decision);
        } catch (const base::Error& error) {
            place_.surroundings.warn(error.message());
            if (error.code() != base::ErrorCode::no_prompt) return false;
        }
    }
    return true;
}

void Questions::allow_equal(Judged& judged) const {
    if (judged.row) judged.row = store::find_prompt(place_.store, judged.row->id);
    judged.prompt_id = judged.row ? judged.row->id : "";
    judged.approved = judged.binding;
    allow(judged, "ask_approved", "User approved at the terminal, always");
    judged.audited = judged.row.has_value();  // when the rule was added
}

std::vector<chat::PromptNotice> Questions::suspend(std::vector<Judged>& calls) {
    std::vector<chat::PromptNotice> waiting;
    std::vector<store::Prompt> rows;
    std::vector<Judged*> decided;
    for (Judged& judged : calls) {
        if (judged.asks && judged.row) waiting.push_back(notice_of(*judged.row));
        if (judged.done || judged.row || !judged.binding || !may_be_stored(judged)) continue;
        store::Prompt row = new_row(judged);
        if (!judged.asks) {
            row.state = judged.answer ? store::PromptState::answered
                        : judged.runs ? store::PromptState::approved
                                      : store::PromptState::denied;
            row.decided_at = row.created_at;
            row.decided_by = record_.turn().actor;
            row.answer = judged.answer.value_or("");
            decided.push_back(&judged);
        } else {
            waiting.push_back(notice_of(row));
        }
        rows.push_back(std::move(row));
    }
    record_.suspend(rows, decided);
    return waiting;
}

}  // namespace chorus::turn
