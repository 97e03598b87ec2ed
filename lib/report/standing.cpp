#include "report/standing.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <functional>
#include <tuple>

#include "agent/configuration.hpp"
#include "approval/decision.hpp"
#include "base/enum_names.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "place/agent_tasks.hpp"
#include "place/in_force.hpp"
#include "place/rights.hpp"
#include "repo/repository.hpp"
#include "store/believed.hpp"
#include "store/messages.hpp"
#include "store/records.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"
#include "task/task.hpp"

namespace chorus::report {
namespace {

using base::Error;
using base::TimeMs;
using store::AgentStatus;
using store::TurnState;

constexpr std::array importance{TurnState::working, TurnState::restarting, TurnState::starting,
                                TurnState::prompt,  TurnState::parked,     TurnState::unknown};

std::size_t rank_of(TurnState state) {
    const auto* found = std::find(importance.begin(), importance.end(), state);
    return static_cast<std::size_t>(found - importance.begin());
}

agent::Directory directory_of(const agent::Home& home, const store::Agent& agent) {
    return home.directory(agent.dir);
}

// Whether `one` matters more; of two that matter equally, the newer one does.
bool is_before(const ThreadStanding& one, const ThreadStanding& other) {
    const auto order = [](const ThreadStanding& thread) {
        return std::tuple(!thread.turn, rank_of(thread.state), thread.turn ? -thread.turn->id : 0);
    };
    return order(one) < order(other);
}

void look_at_work(store::Store& store, ThreadStanding& thread) {
    thread.calls = store::unfinished_tool_runs(store, thread.turn->id);
    thread.since = store::began_work_at(store, thread.thread.agent_id, thread.turn->id);
    if (thread.since == 0) thread.since = thread.turn->started_at;
}

void drop_settled(std::vector<store::Prompt>& prompts) {
    const TimeMs now = sys::now_ms();
    std::erase_if(prompts, [&](const store::Prompt& prompt) {
        return prompt.state != store::PromptState::pending || store::has_expired(prompt, now);
    });
}

void look_at_turn(store::Store& store, ThreadStanding& thread, store::Turn turn) {
    thread.state = state_now(turn);
    thread.since = turn.ended_at;
    thread.turn = std::move(turn);
    if (is_at_work(thread.state)) look_at_work(store, thread);
    if (thread.state != TurnState::prompt) return;
    thread.prompts = store::load_prompts_below(store, thread.turn->id);
    drop_settled(thread.prompts);
}

std::vector<store::Prompt> open_prompts(store::Store& store, const store::Agent& agent) {
    auto prompts = store::pending_prompts_below(store, agent.id);
    drop_settled(prompts);
    return prompts;
}

std::vector<ThreadStanding> threads_of(store::Store& store, const store::Agent& agent) {
    std::vector<store::Turn> turns = store::newest_turns(store, agent.id);
    std::vector<ThreadStanding> threads;
    for (store::Thread& thread : store::list_threads(store, agent.id)) {
        threads.emplace_back().thread = std::move(thread);
        const auto turn = std::find_if(turns.begin(), turns.end(), [&](const store::Turn& one) {
            return one.thread_id == threads.back().thread.id;
        });
        if (turn != turns.end()) look_at_turn(store, threads.back(), std::move(*turn));
    }
    return threads;
}

ContextStanding context_of(store::Store& store, const AgentStanding& standing,
                           std::int64_t window_ms, std::int64_t timeout_ms) {
    const store::Agent& agent = standing.agent;
    ContextStanding context;
    bool is_open = false;
    for (const ThreadStanding& one : standing.threads) {
        const bool open = one.turn && one.turn->ended_at == 0;
        is_open = is_open || open;
        context.messages +=
            store::count_window(store, agent.id, one.thread.id,
                                store::bounds_of(agent, one.thread, sys::now_ms() - window_ms,
                                                 open ? one.turn->id : 0));
    }
    context.idle_since = store::believed_activity(store, agent, sys::now_ms());
    if (context.messages > 0 && timeout_ms > 0 && !is_open)
        context.idle_until = context.idle_since + timeout_ms;
    return context;
}

// What config.json and agent.json say, as far as they can be read.
struct Configured {
    agent::Configuration own;
    agent::HomeConfiguration general;
};

Configured configured(const agent::Home& home, store::Store& store, AgentStanding& standing) {
    Configured both;
    const auto attempt = [&](const std::function<void()>& read) {
        try {
            read();
        } catch (const Error& error) {
            standing.problems.push_back(error.message());
        }
    };
    attempt([&] { both.general = agent::load_home_configuration(home); });
    attempt([&] {
        both.own = place::configuration_in_force(store, standing.agent,
                                                 directory_of(home, standing.agent), both.general)
                       .configuration;
        if (!both.own.model.empty()) standing.model = both.own.model;
        standing.permissions = both.own.permissions.name;
    });
    return both;
}

std::string and_more(std::size_t number) {
    return number > 1 ? " and " + std::to_string(number - 1) + " more" : "";
}

std::string what_it_does(const ThreadStanding& thread) {
    const std::string plan = chat::in_brief(chat::parse_plan(thread.turn->plan));
    return (thread.calls.empty()
                ? "waiting for the model"
                : "calling " + thread.calls.front().tool + and_more(thread.calls.size()) + " (+" +
                      std::to_string(thread.turn->tool_calls) + ")") +
           (plan.empty() ? "" : "; " + plan);
}

std::string what_it_asks(const ThreadStanding& thread) {
    if (thread.prompts.empty())
        return "decided or expired; -t " + std::to_string(thread.thread.id) +
               " --resume continues it";
    return approval::in_one_line(thread.prompts.front()) + and_more(thread.prompts.size());
}

std::string how_it_exited(const store::Turn& turn) {
    if (turn.exit_code < 0) return turn.reason;
    const int number = signal_of(turn);
    return "exit " + std::to_string(turn.exit_code) +
           (number == 0 ? "" : ", signal " + base::signal_name(number));
}

}  // namespace

TurnState state_now(const store::Turn& turn) {
    // these wait with or without a process
    const bool waits = turn.state == TurnState::prompt || turn.state == TurnState::parked;
    const bool claims_process = turn.ended_at == 0 && turn.pid != 0 && !waits;
    if (claims_process && !sys::is_alive({turn.pid, turn.pid_start})) return TurnState::unknown;
    return turn.state;
}

std::string_view a2a_state(TurnState state) {
    constexpr base::EnumNames<TurnState, 9> names{{"submitted", "working", "completed",
                                                   "input-required", "failed", "failed", "canceled",
                                                   "unknown", "working"}};
    return names.name(state);
}

int signal_of(const store::Turn& turn) {
    const int number = turn.exit_code - 128;
    const bool is_one = number == SIGHUP || number == SIGINT || number == SIGTERM;
    return turn.state == TurnState::exited && is_one ? number : 0;
}

bool is_at_work(TurnState state) {
    return state == TurnState::starting || state == TurnState::working ||
           state == TurnState::restarting;
}

const ThreadStanding* foremost(const std::vector<ThreadStanding>& threads) {
    const auto first = std::min_element(threads.begin(), threads.end(), is_before);
    return first != threads.end() && first->turn ? &*first : nullptr;
}

std::vector<ThreadStanding> standing_of_threads(store::Store& store, const store::Agent& agent) {
    return threads_of(store, agent);
}

std::string what_of(const ThreadStanding& thread) {
    if (!thread.turn) return {};
    const store::Turn& turn = *thread.turn;
    switch (thread.state) {
        case TurnState::starting:
            return {};
        case TurnState::working:
        case TurnState::restarting:
            return what_it_does(thread);
        case TurnState::prompt:
            return what_it_asks(thread);
        case TurnState::error:
            return turn.error_category.empty() ? turn.error_detail
                                               : turn.error_category + ": " + turn.error_detail;
        case TurnState::parked:
            return turn.reason +
                   (turn.resume_at == 0 ? "" : ", until " + base::iso8601(turn.resume_at));
        case TurnState::unknown:
            return "its process " + std::to_string(turn.pid) + " is gone";
        case TurnState::exited:
            return how_it_exited(turn);
        case TurnState::idle:
            break;
    }
    return turn.reason;
}

WorkspaceStanding workspace_of(const agent::Home& home, const store::Agent& agent) {
    const std::string path =
        agent.place.empty() ? directory_of(home, agent).workspace() : agent.place;
    WorkspaceStanding workspace;
    workspace.directory = path;
    try {
        if (!sys::is_directory(path)) throw base::system_error(path, ENOENT);
        const auto repository = repo::Repository::open(sys::real_path(path));
        if (!repository)
            throw Error(base::ErrorCode::failed, path + ": no git repository of its own");
        const std::string status = repository->status();
        const auto lines = base::split_lines(status);
        const std::string_view word = "branch ";
        if (!lines.empty()) workspace.branch = lines.front().substr(word.size());
        workspace.uncommitted =
            std::count_if(lines.begin(), lines.end(), [word](std::string_view line) {
                return !line.starts_with(word) && !line.starts_with("# ");
            });
    } catch (const Error& error) {
        workspace.problem = error.message();
    }
    return workspace;
}

std::string settle_tasks(const agent::Home& home, store::Store& store, const store::Agent& agent) {
    if (agent.status != AgentStatus::active) return {};
    try {
        const task::Site site = place::task_site(store, home, agent);
        task::settle(site);
        task::mirror(site);
        return {};
    } catch (const Error& error) {
        return error.message();
    }
}

AgentStanding standing_of(const agent::Home& home, const sys::Environment& environment,
                          store::Store& store, const store::Agent& agent) {
    AgentStanding standing;
    standing.agent = agent;
    standing.model = agent.model;
    standing.permissions = agent.permissions;
    const std::string unsettled = settle_tasks(home, store, agent);
    if (!unsettled.empty()) standing.problems.push_back(unsettled);
    const bool is_gone = agent.status == AgentStatus::destroyed && !agent.files_kept;
    const Configured both = is_gone ? Configured{} : configured(home, store, standing);
    standing.prompts = open_prompts(store, agent);
    standing.threads = threads_of(store, agent);
    if (agent.status != AgentStatus::destroyed)
        standing.context = context_of(
            store, standing, place::window_in_force_ms(both.own.shared, both.general.shared),
            place::idle_timeout_in_force_ms(both.own.shared, both.general.shared, environment));
    standing.running = store::running_tasks(store, agent.id);
    standing.ended = store::ended_tasks(store, agent.id, sys::now_ms() - recently_ms);
    for (life::SubAgent& below : life::sub_agents_of(store, agent)) {
        std::vector<ThreadStanding> threads = standing_of_threads(store, below.agent);
        standing.sub_agents.push_back({std::move(below), std::move(threads)});
    }
    auto sessions = store::list_sessions(store, agent.id, 1);
    if (!sessions.empty()) standing.last_session = std::move(sessions.front());
    return standing;
}

std::vector<AgentLine> standing_of_all(const agent::Home& home, store::Store& store) {
    std::vector<AgentLine> lines;
    for (store::Agent& agent : store::list_agents(store)) {
        if (!store::running_tasks(store, agent.id).empty()) settle_tasks(home, store, agent);
        std::vector<ThreadStanding> threads;
        for (store::Turn& turn : store::newest_turns(store, agent.id)) {
            ThreadStanding& thread = threads.emplace_back();
            thread.state = state_now(turn);
            thread.turn = std::move(turn);
        }
        const ThreadStanding* first = foremost(threads);
        const TurnState state = first != nullptr ? first->state : TurnState::idle;
        const store::Tally tally = store::tally_of(store, agent.id, sys::now_ms());
        lines.push_back({std::move(agent), state, tally});
    }
    return lines;
}

}  // namespace chorus::report
