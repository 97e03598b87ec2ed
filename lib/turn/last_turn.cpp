#include "turn/last_turn.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "approval/expiry.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "chat/commands.hpp"
#include "chat/json.hpp"
#include "place/agent_tasks.hpp"
#include "store/believed.hpp"
#include "store/messages.hpp"
#include "store/records.hpp"
#include "store/threads.hpp"
#include "sys/clock.hpp"
#include "sys/process.hpp"
#include "task/task.hpp"
#include "turn/questions.hpp"
#include "turn/remains.hpp"
#include "turn/said.hpp"

namespace chorus::turn {
namespace {

using base::Error;
using base::ErrorCode;
using store::TurnState;

// Returns the result of a turn whose questions are decided, but which was not resumed.
chat::TurnResult not_gone_on(place::Place& place, const store::Turn& turn) {
    chat::TurnResult result = about(place.store, place.agent.name, turn);
    set_end(result, chat::State::input_required, "decided",
            {ErrorCode::input_required, "turn: the previous turn is decided but not resumed",
             chat::resume_command(place.agent.name, turn.thread_id) + ", or " +
                 place::giving_up(place, turn.thread_id)});
    return result;
}

std::optional<chat::TurnResult> of_prompt(place::Place& place, const store::Turn& turn) {
    const Asked asked = asked_of(place, turn);
    if (!asked.pending.empty()) return still_waiting(place, turn, asked.pending);
    if (!asked.decided.empty()) return not_gone_on(place, turn);
    return std::nullopt;
}

// Returns the result of a turn that waits, or is parked and may not continue yet.
std::optional<chat::TurnResult> still_open(place::Place& place, const store::Turn& turn,
                                           const std::string& credential) {
    if (turn.state == TurnState::parked) {
        return still_parked(place, turn, credential);
    }
    return of_prompt(place, turn);
}

// Turns the result into that of a message which was not recorded.
chat::TurnResult not_accepted(chat::TurnResult result, const place::Place& place) {
    if (place.options.says_nothing()) return result;
    result.accepted = false;
    const std::string name = place.agent.name;
    const std::string thread = std::to_string(place.thread.id);
    const std::string first =
        result.reason == "decided"
            ? chat::resume_command(name, place.thread.id) + " continues that turn, "
            : "";
    result.error =
        Error(result.error->code(), "the message was not accepted: " + result.error->message(),
              first + "chorus-run " + name + " -t " + thread +
                  " --queue MESSAGE keeps it until the thread continues, " +
                  place::giving_up(place, place.thread.id) +
                  (place.directory.is_of_sub_agent()
                       ? ""
                       : ", chorus-run " + name + " --new-thread MESSAGE starts a new thread"));
    return result;
}

enum class Now { nothing, waits, goes_on };

bool is_asked(store::Store& store, const store::Turn& turn) {
    const auto prompts = store::load_prompts_below(store, turn.id);
    const base::TimeMs now = sys::now_ms();
    return std::any_of(prompts.begin(), prompts.end(), [&](const store::Prompt& prompt) {
        return prompt.state == store::PromptState::pending && !store::has_expired(prompt, now);
    });
}

Now of_turn(store::Store& store, const store::Turn& turn, const place::TurnOptions& given,
            bool asks) {
    switch (turn.state) {
        case TurnState::idle:
            return may_go_on(given, turn) ? Now::goes_on : Now::nothing;
        case TurnState::prompt:
            if (sys::is_alive({turn.pid, turn.pid_start})) return Now::nothing;
            return asks || !is_asked(store, turn) ? Now::goes_on : Now::waits;
        case TurnState::parked:
            if (sys::is_alive({turn.pid, turn.pid_start})) return Now::nothing;
            return is_still_parked(turn) ? Now::waits : Now::goes_on;
        case TurnState::starting:
        case TurnState::working:
        case TurnState::restarting:
            return sys::is_alive({turn.pid, turn.pid_start}) ? Now::nothing : Now::goes_on;
        default:
            // a copy made by a branch has not begun there
            return turn.reason == "branched" || is_superseded(store, turn) ? Now::nothing
                                                                           : Now::goes_on;
    }
}

Now of_thread(store::Store& store, const store::Thread& thread, const place::TurnOptions& given,
              bool asks) {
    const auto turn = store::newest_turn(store, thread.agent_id, thread.id);
    const Now now = turn ? of_turn(store, *turn, given, asks) : Now::nothing;
    const bool is_idle = !turn || turn->ended_at != 0;
    if (now == Now::nothing && is_idle &&
        !store::undelivered(store, thread.agent_id, thread.id).empty())
        return Now::goes_on;
    return now;
}

std::string numbers(const std::vector<store::ThreadId>& threads) {
    return fmt::format("{}", fmt::join(threads, ", "));
}

Error several_go_on(const place::TurnOptions& given, const std::vector<store::ThreadId>& threads) {
    const std::string option = given.retry ? "--retry" : "--resume";
    std::vector<std::string> commands;
    for (const store::ThreadId thread : threads)
        commands.push_back("chorus-run " + given.agent + " -t " + std::to_string(thread) + " " +
                           option);
    return {ErrorCode::bad_request,
            option + ": several threads can be resumed: " + numbers(threads),
            base::join(commands, ", or ")};
}

Error several_wait(const place::TurnOptions& given, const std::vector<store::ThreadId>& threads) {
    return {ErrorCode::input_required,
            "agent '" + given.agent + "': no turn can be resumed; threads " + numbers(threads) +
                " wait",
            "chorus-tasks pending " + given.agent + " lists the questions, chorus-tasks threads " +
                given.agent + " lists the threads"};
}

// Returns the turns of sub-agents that this one waits for and that are not at work.
std::vector<store::Turn> waiting_below(store::Store& store, store::TurnId turn) {
    std::vector<store::Turn> below = store::open_turns_below(store, turn);
    std::erase_if(below, [](const store::Turn& one) {
        return sys::is_alive({one.pid, one.pid_start});
    });
    return below;
}

void end_turns(place::Place& place, std::vector<store::Turn> ended, std::string_view reason) {
    if (ended.empty()) return;
    for (const store::Turn& one : ended)
        if (const auto agent = store::find_agent(place.store, one.agent_id))
            remove_remains(place.surroundings, place.store, place.redaction, *agent, one);
    store::Transaction transaction(place.store);
    for (store::Turn& one : ended) {
        store::cancel_prompts(place.store, one.id, sys::now_ms());
        write_exit(place.store, one, std::string(reason));
    }
    transaction.commit();
}

// Makes the options name the turn at the top of a chain. Returns whether it is another agent's.
bool name_top(place::TurnOptions& options, store::Store& store, store::TurnId below,
              store::AgentId own) {
    const auto turn = store::find_turn(store, store::top_turn(store, below));
    if (!turn) return false;
    options.thread = std::to_string(turn->thread_id);
    const auto agent =
        turn->agent_id == own ? std::nullopt : store::find_agent(store, turn->agent_id);
    if (agent) options.agent = agent->name;
    return agent.has_value();
}

}  // namespace

void set_end(chat::TurnResult& result, chat::State state, std::string reason, Error error) {
    result.state = state;
    result.reason = std::move(reason);
    result.exit_status = base::exit_status(error.code());
    result.error = std::move(error);
}

void continue_from_top(place::TurnOptions& options, place::Place& place,
                       const store::Prompt& decided) {
    name_top(options, place.store, decided.turn_id, place.agent.id);
}

std::unique_ptr<place::TurnOptions> from_top(const place::TurnOptions& given, store::Store& store,
                                             const store::Agent& agent) {
    if (!given.resume || agent.parent_id == 0) return {};
    const auto open = store::open_turns(store, agent.id);
    if (open.empty()) return {};
    auto options = std::make_unique<place::TurnOptions>(given);
    if (!name_top(*options, store, open.front().id, agent.id)) return {};
    return options;
}

void end_open_turn(place::Place& place, store::Turn turn, std::string_view reason) {
    std::vector<store::Turn> ended = waiting_below(place.store, turn.id);
    ended.push_back(std::move(turn));
    end_turns(place, std::move(ended), reason);
}

void end_waiting_below(place::Place& place, const store::Turn& turn) {
    end_turns(place, waiting_below(place.store, turn.id),
              call_outcomes.name(CallOutcome::cancelled));
}

chat::TurnResult about(store::Store& store, const std::string& agent, const store::Turn& turn) {
    chat::TurnResult result;
    result.agent = agent;
    result.thread = turn.thread_id;
    result.turn_id = turn.id;
    result.turn_number = turn.turn_number;
    result.usage = turn.usage;
    result.iterations = turn.iterations;
    result.tool_calls = turn.tool_calls;
    describe_records(store, turn, result);
    return result;
}

chat::TurnResult still_waiting(place::Place& place, const store::Turn& turn,
                               const std::vector<store::Prompt>& prompts) {
    chat::TurnResult result = about(place.store, place.agent.name, turn);
    for (const store::Prompt& prompt : prompts) result.prompts.push_back(notice_of(prompt));
    set_end(result, chat::State::input_required, reason_of(result.prompts),
            {ErrorCode::input_required, "turn: it waits for a decision"});
    return result;
}

Asked asked_of(place::Place& place, const store::Turn& turn) {
    Asked asked;
    approval::expire_prompts(place.store);
    for (store::Prompt& prompt : store::load_prompts_below(place.store, turn.id)) {
        if (prompt.consumed_at == 0 && (prompt.state == store::PromptState::approved ||
                                        prompt.state == store::PromptState::denied ||
                                        prompt.state == store::PromptState::answered))
            asked.decided.push_back(prompt.id);
        if (prompt.state == store::PromptState::expired && prompt.consumed_at == 0)
            asked.has_expired = true;
        if (prompt.state == store::PromptState::pending) asked.pending.push_back(std::move(prompt));
    }
    return asked;
}

std::optional<chat::TurnResult> still_asked(place::Place& place, const store::Turn& turn) {
    const Asked asked = asked_of(place, turn);
    const bool is_own = std::any_of(asked.pending.begin(), asked.pending.end(),
                                    [&](const auto& one) { return one.turn_id == turn.id; });
    if (asked.pending.empty() || (!asked.decided.empty() && !is_own)) return std::nullopt;
    return still_waiting(place, turn, asked.pending);
}

bool has_inbox(place::Place& place) {
    return !store::undelivered(place.store, place.agent.id, place.thread.id).empty();
}

bool leaves_messages(store::Store& store, const store::Turn& turn) {
    const bool is_open = turn.ended_at == 0 && turn.state != TurnState::prompt &&
                         !sys::is_alive({turn.pid, turn.pid_start});
    return (is_open || turn.state == TurnState::error) && !store::senders(store, turn.id).empty();
}

std::optional<chat::TurnResult> nothing_to_take_up(place::Place& place) {
    const auto last = store::newest_turn(place.store, place.agent.id, place.thread.id);
    // one that was lost has left a message
    task::settle(place::task_site(place.store, place.surroundings.home, place.agent));
    if (!has_inbox(place))
        return last && leaves_messages(place.store, *last)
                   ? std::nullopt
                   : std::optional(nothing_to_do(place, last));
    if (last && last->state == TurnState::prompt) return of_prompt(place, *last);
    return std::nullopt;
}

void check_not_given_up(place::Place& place, const std::optional<store::Turn>& last) {
    for (const std::string& id : place.options.decided) {
        const auto prompt = store::find_prompt(place.store, id);
        if (!prompt || prompt->consumed_at != 0 || prompt->turn_id == 0) continue;
        const store::TurnId top = store::top_turn(place.store, prompt->turn_id);
        if (last && last->id == top && (last->ended_at == 0 || top != prompt->turn_id)) continue;
        throw Error(ErrorCode::no_prompt,
                    id + ": another process has given up its turn; nothing was done",
                    "see what the thread did instead: chorus-context log " + place.agent.name);
    }
}

chat::TurnResult nothing_to_do(place::Place& place, const std::optional<store::Turn>& last) {
    chat::TurnResult result =
        last ? about(place.store, place.agent.name, *last) : chat::TurnResult{};
    result.agent = place.agent.name;
    result.thread = place.thread.id;
    result.reason = "nothing_to_do";
    return result;
}

bool is_superseded(store::Store& store, const store::Turn& turn) {
    const auto messages = store::load_turn_messages(store, turn.id);
    return messages.empty() ||
           store::is_restored_after(store, turn.agent_id, turn.thread_id, messages.back().id);
}

bool may_go_on(const place::TurnOptions& options, const store::Turn& turn) {
    return turn.reason == budget_reason || turn.reason == tokens_reason ||
           (turn.reason == "max_iterations" && options.max_iterations.has_value());
}

std::optional<chat::TurnResult> still_parked(place::Place& place, const store::Turn& turn,
                                             const std::string& credential) {
    if (!waits_for(turn, credential) || may_sleep_until(place, turn.resume_at)) return std::nullopt;
    chat::TurnResult result = about(place.store, place.agent.name, turn);
    result.resume_at = turn.resume_at;
    set_end(result, chat::State::failed, turn.reason,
            {ErrorCode::parked,
             "agent '" + place.agent.name + "': its turn is parked until " +
                 base::iso8601(turn.resume_at) + ": the credential for " + turn.model +
                 " is rate-limited",
             ways_past_parking(place, turn.thread_id, turn.resume_at)});
    return result;
}

bool is_still_parked(const store::Turn& turn) {
    const base::TimeMs now = sys::now_ms();
    return turn.resume_at > now && store::is_believed(turn.started_at, now);
}

bool may_sleep_until(const place::Place& place, base::TimeMs resume_at) {
    const std::int64_t deadline_ms = place.options.deadline_ms;
    return place.options.wait_parked &&
           (deadline_ms == 0 || sys::monotonic_ms() + (resume_at - sys::now_ms()) < deadline_ms);
}

void keep_cooling(store::Turn& turn, const std::string& credential) {
    chat::Json options = chat::parse_json(store::options_json(turn), "turn options");
    options["cooling"] = credential;
    turn.options = chat::dump(options);
}

bool waits_for(const store::Turn& turn, const std::string& credential) {
    if (!is_still_parked(turn)) return false;
    const std::string cooling =
        chat::string_or(chat::parse_json(store::options_json(turn), "turn options"), "cooling");
    return cooling.empty() || cooling == credential;
}

std::string ways_past_parking(const place::Place& place, store::ThreadId thread,
                              base::TimeMs resume_at) {
    return "after " + base::iso8601(resume_at) + ": " +
           chat::resume_command(place.agent.name, thread) + "; with -m and the model of another " +
           "provider a message runs at once; chorus-tasks cancel " + place.agent.name +
           " gives up the turn";
}

void say_recovered(const place::Place& place, const store::Turn& turn,
                   const std::vector<Unfinished>& calls) {
    place.surroundings.warn("recovered turn " + std::to_string(turn.turn_number) +
                            ", whose process died" + describe(calls));
}

std::optional<chat::TurnResult> settle_last_turn(place::Place& place,
                                                 const std::string& credential) {
    const place::TurnOptions& options = place.options;
    const auto [last, crashed] = take_over_unless_idle(place);
    if (!last) return std::nullopt;
    std::optional<CallOutcome> outcome;
    if (last->ended_at != 0) {
        end_waiting_below(place, *last);
    } else {
        if (!options.cancel_prompts)
            if (auto waiting = still_open(place, *last, credential))
                return options.queue ? queue_behind(place)
                                     : not_accepted(std::move(*waiting), place);
        const Asked asked = asked_of(place, *last);
        const bool waits = !asked.pending.empty() || !asked.decided.empty() || !asked.has_expired;
        const bool is_parked = last->state == TurnState::parked;
        if (!is_parked) outcome = waits ? CallOutcome::cancelled : CallOutcome::expired;
        end_open_turn(place, *last, is_parked ? "superseded" : call_outcomes.name(*outcome));
    }
    const auto calls = settle_unfinished(place, *last, outcome);
    if (crashed) say_recovered(place, *last, calls);
    return std::nullopt;
}

base::Error with_way_on(const base::Error& error, const place::Place& place,
                        const store::Turn& turn) {
    if (error.cause() == base::Cause::unknown) return error;
    return {error.code(), error.message(),
            "turn " + std::to_string(turn.turn_number) +
                " is on record; when this is fixed, continue it with: " +
                chat::resume_command(place.agent.name, turn.thread_id),
            error.cause()};
}

place::TurnOptions with_thread(const place::TurnOptions& given, place::FoundAgent& found,
                               const place::Surroundings& surroundings) {
    if (!given.thread.empty() || (!given.resume && !given.retry)) return given;
    const bool asks = surroundings.ask != nullptr ||
                      (given.on_ask_given && given.on_ask != place::OnAsk::suspend);
    std::vector<store::ThreadId> going_on;
    std::vector<store::ThreadId> waiting;
    for (const store::Thread& thread : store::list_threads(found.store, found.agent.id)) {
        const Now now = of_thread(found.store, thread, given, asks);
        if (now == Now::goes_on) going_on.push_back(thread.id);
        if (now == Now::waits) waiting.push_back(thread.id);
    }
    if (going_on.size() > 1) throw several_go_on(given, going_on);
    if (going_on.empty() && waiting.size() > 1) throw several_wait(given, waiting);
    const auto& threads = going_on.empty() ? waiting : going_on;
    if (threads.empty()) return given;
    place::TurnOptions options = given;
    options.thread = std::to_string(threads.front());
    return options;
}

}  // namespace chorus::turn
