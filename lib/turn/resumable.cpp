#include "turn/resumable.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "chat/commands.hpp"
#include "store/messages.hpp"
#include "store/prompts.hpp"
#include "store/records.hpp"
#include "store/threads.hpp"
#include "sys/clock.hpp"
#include "sys/process.hpp"
#include "turn/last_turn.hpp"

namespace chorus::turn {
namespace {

using base::Error;
using base::ErrorCode;
using store::TurnState;

enum class Now { nothing, waits, goes_on };

bool is_asked(store::Store& store, const store::Turn& turn) {
    const auto prompts = store::load_prompts(store, turn.id);
    const base::TimeMs now = sys::now_ms();
    return std::any_of(prompts.begin(), prompts.end(), [&](const store::Prompt& prompt) {
        return prompt.state == store::PromptState::pending && !store::has_expired(prompt, now);
    });
}

Now of_turn(store::Store& store, const store::Turn& turn, const place::TurnOptions& given,
            bool asks) {
    switch (turn.state) {
        case TurnState::idle:
            return has_more_iterations(given, turn) ? Now::goes_on : Now::nothing;
        case TurnState::prompt:
            if (turn.pid != 0 && sys::is_alive({turn.pid, turn.pid_start})) return Now::nothing;
            return asks || !is_asked(store, turn) ? Now::goes_on : Now::waits;
        case TurnState::parked:
            return is_still_parked(turn) ? Now::waits : Now::goes_on;
        case TurnState::starting:
        case TurnState::working:
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
    std::vector<std::string> texts;
    for (const store::ThreadId thread : threads) texts.push_back(std::to_string(thread));
    return base::join(texts, ", ");
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

}  // namespace

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
