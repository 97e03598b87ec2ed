#include "turn/sub_agent_runs.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "chat/event.hpp"
#include "chat/json.hpp"
#include "place/spawning.hpp"
#include "store/agents.hpp"
#include "store/turns.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"
#include "turn/last_turn.hpp"

namespace chorus::turn {
namespace {

using base::ExitStatus;
using chat::Json;

constexpr std::size_t most_answer_bytes = 64U << 20;
constexpr std::size_t kept_output_bytes = 64U << 10;  // to tell why it ended
constexpr std::int64_t end_ms = 5'000;                // for a process that has been told to end

// A sub-agent inherits no choice of a model, and its prompt is all of stdin.
constexpr std::array not_inherited{"CHORUS_AGENT", "CHORUS_MODEL", "CHORUS_STDIN"};

sys::Environment environment_for_sub_agent(const sys::Environment& own, const agent::Home& home) {
    std::map<std::string, std::string> values = own.all();
    for (const char* name : not_inherited) values.erase(name);
    values["CHORUS_HOME"] = home.path();
    return sys::Environment(std::move(values));
}

// task_kill and chorus-tasks kill wait 10 s, less than a turn drains by default.
std::map<std::string, std::string> values_in_background(const place::Surroundings& surroundings) {
    auto values = environment_for_sub_agent(surroundings.environment, surroundings.home).all();
    values.emplace("CHORUS_DRAIN_TIMEOUT_MS", "1000");
    return values;
}

std::string key_of(store::TurnId turn, const std::string& call_id) {
    // an id is the model's text
    return "spawn-" + base::sha256_hex(std::to_string(turn) + " " + call_id);
}

std::string id_of(const std::string& dir) {
    return dir.substr(dir.rfind('/') + 1);
}

std::vector<std::string> arguments_for(const place::Place& place, const std::string& dir,
                                       std::string key) {
    std::vector<std::string> arguments{sys::program_beside("chorus-run"),
                                       dir,
                                       "--stdin",
                                       "inline",
                                       "--wait",
                                       "--idempotency-key",
                                       std::move(key)};
    if (place.options.on_ask_given)
        arguments.insert(arguments.end(),
                         {"--on-ask", std::string(place::on_asks.name(place.options.on_ask))});
    return arguments;
}

sys::ProcessCommand command_for(const place::Place& place, const std::string& dir,
                                std::string key) {
    sys::ProcessCommand command{.arguments = arguments_for(place, dir, std::move(key))};
    command.arguments.insert(command.arguments.end(), {"--output-format", "stream-json"});
    if (place.options.deadline_ms != 0) {
        const std::int64_t left_ms = place.options.deadline_ms - sys::monotonic_ms();
        command.arguments.insert(
            command.arguments.end(),
            {"--timeout", std::to_string(std::max<std::int64_t>(left_ms, 1)) + "ms"});
    }
    auto values =
        environment_for_sub_agent(place.surroundings.environment, place.surroundings.home).all();
    // its process is at no terminal
    if (place.surroundings.ask)
        values.emplace("CHORUS_DRAIN_TIMEOUT_MS", std::to_string(place::terminal_drain_ms));
    sys::Environment(std::move(values)).pass_to(command);
    return command;
}

std::int64_t grace_of(const place::Place& place) {
    const place::ShutdownTimeouts timeouts =
        place::shutdown_timeouts(place.surroundings.environment);
    return timeouts.drain_ms + timeouts.grace_ms + end_ms;
}

chat::ToolResult failed(std::string text) {
    return {std::move(text), true};
}

const char* headline_of(ExitStatus status, const sys::Finished& finished, bool timed_out) {
    if (timed_out && finished.stopped) return "Error: Timeout";
    if (finished.stopped) return "Error: User aborted agent";
    switch (status) {
        case ExitStatus::hangup:
        case ExitStatus::interrupted:
        case ExitStatus::terminated:
            return "Error: User aborted agent";
        case ExitStatus::provider:
            return "Error: Network failure";
        case ExitStatus::timeout:
            return "Error: Timeout";
        case ExitStatus::limit:
            return "Error: A limit ended the sub-agent's turn";
        default:
            return "Error: The sub-agent failed";
    }
}

// The result that the parent's call gets, of a process that has ended; nothing if its turn waits
// for a person.
std::optional<chat::ToolResult> outcome_of(const sys::Finished& finished, const Json& result,
                                           bool timed_out) {
    const auto status = static_cast<ExitStatus>(finished.exit_code);
    const Json& left = chat::member(result, "work");
    const std::string work =
        chat::said_of({chat::string_or(left, "branch"), chat::string_or(left, "problem")});
    if (finished.exit_code == 0 && result.contains("text")) {
        std::string text(base::trim_end(chat::string_or(result, "text")));
        if (text.empty()) text = "[the sub-agent's answer is empty]";
        return chat::ToolResult{text + work, false};
    }
    if (status == ExitStatus::input_required) return std::nullopt;
    if (finished.signal != 0 && !finished.stopped)
        return failed("Error: The sub-agent was killed, and what it did stands" + work);
    std::string detail = base::visible(base::trim(finished.err.text));
    if (const Json& error = chat::member(result, "error"); error.is_object()) {
        const std::string category = chat::string_or(error, "category");
        detail = (category.empty() ? "" : category + ": ") + chat::string_or(error, "message");
    }
    if (const std::string said = chat::string_or(result, "text"); !said.empty())
        detail += "\nIt had said:\n" + said;
    chat::ToolResult result_of_call = failed(headline_of(status, finished, timed_out) +
                                             (detail.empty() ? "" : "\n" + detail) + work);
    result_of_call.ends_turn = status == ExitStatus::denied;
    return result_of_call;
}

// The lines of what a process writes in pieces.
class LinesOf {
  public:
    void read(std::string_view piece, const std::function<void(std::string_view)>& take) {
        while (!piece.empty()) {
            const std::size_t end = piece.find('\n');
            line_ += piece.substr(0, end);
            if (end == std::string_view::npos) return;
            take(line_);
            line_.clear();
            piece.remove_prefix(end + 1);
        }
    }
    void begin_again() { line_.clear(); }

  private:
    std::string line_;
};

// A sub-agent's process as its events and its notices tell it.
class Followed {
  public:
    using Emit = std::function<void(const chat::Subtask&)>;
    using Printer = std::function<void(const std::string&)> place::Surroundings::*;
    using Print = std::function<void(Printer, const std::string&)>;
    Followed(chat::Subtask subtask, Emit emit, Print print)
        : subtask_(std::move(subtask)),
          emit_(std::move(emit)),
          print_(std::move(print)),
          began_ms_(sys::monotonic_ms()) {
        say();
    }

    void read(sys::Bounds::Source source, std::string_view piece) {
        if (source == sys::Bounds::Source::out)
            out_.read(piece, [this](std::string_view line) { take(line); });
        else
            err_.read(piece, [this](std::string_view line) { pass_on(line); });
    }

    // Another process goes on with the same turn.
    void begin_again() {
        out_.begin_again();
        err_.begin_again();
    }

    // `timed_out`: the turn above has no time left, and ended the process for that.
    std::optional<chat::ToolResult> outcome(const sys::Finished& finished, bool timed_out) {
        auto outcome = outcome_of(finished, result_, timed_out);
        subtask_.state = !outcome            ? chat::State::input_required
                         : outcome->is_error ? chat::State::failed
                                             : chat::State::completed;
        say();
        return outcome;
    }

  private:
    void say() {
        subtask_.duration_ms = sys::monotonic_ms() - began_ms_;
        emit_(subtask_);
    }

    // Nobody else reads its stderr. What it says of its end is in its result.
    void pass_on(std::string_view line) {
        constexpr std::array<std::pair<std::string_view, Printer>, 3> printers{
            {{"chorus-run: notice: ", &place::Surroundings::warn},
             {"chorus-run: warning: ", &place::Surroundings::warn},
             {"chorus-run: alert: ", &place::Surroundings::alert}}};
        for (const auto& [head, printer] : printers)
            if (line.starts_with(head))
                print_(printer, subtask_.sub_agent + ": " + std::string(line.substr(head.size())));
    }

    void take(std::string_view line) {
        Json event = chat::try_parse_json(line, most_answer_bytes).value_or(Json::object());
        const std::string kind = chat::string_or(event, "kind");
        const Json& result = chat::member(chat::member(event, "metadata"), "result");
        if (result.is_object()) result_ = result;
        if (kind == chat::Subtask::kind)
            if (const auto deeper = chat::parse_subtask(line)) emit_(*deeper);
        if (kind != chat::CallEvent::kind) return;
        ++subtask_.tool_calls;
        subtask_.action = chat::string_or(event, "action");
        say();
    }

    chat::Subtask subtask_;
    Emit emit_;
    Print print_;
    std::int64_t began_ms_;
    LinesOf out_;
    LinesOf err_;
    Json result_ = Json::object();
};

// Returns the result of a call whose sub-agent was destroyed, rewound, or given another message
// while the turn above waited for it.
std::optional<chat::ToolResult> result_of_ended(store::Store& store, const std::string& dir,
                                                const std::string& key) {
    const auto child = store::find_child(store, dir);
    if (!child) return failed("Error: User aborted agent\n" + id_of(dir) + " was destroyed");
    const auto turn = store::find_turn_by_key(store, child->id, key);
    if (!turn || turn->state == store::TurnState::idle) return std::nullopt;
    if (is_superseded(store, *turn))
        return failed("Error: User aborted agent\n" + child->name + " was rewound");
    if (store::newest_turn(store, child->id, 1)->id == turn->id) return std::nullopt;
    return failed("Error: User aborted agent\n" + child->name + " was given another message");
}

// Ends what the sub-agent's turn left waiting below it, and that turn itself if its process was
// killed: the call has its result, and nobody waits for them any more.
void close_ended(place::Place& place, const std::string& dir, const std::string& key) {
    const auto child = store::find_child(place.store, dir);
    const auto turn = child ? store::find_turn_by_key(place.store, child->id, key) : std::nullopt;
    if (!turn) return;
    const bool is_dead =
        turn->ended_at == 0 && turn->pid != 0 && !sys::is_alive({turn->pid, turn->pid_start});
    if (is_dead)
        end_open_turn(place, *turn, "crashed");
    else if (turn->ended_at != 0)
        end_waiting_below(place, *turn);
}

}  // namespace

tools::SubAgents sub_agents_of(place::Place& place, const place::Loaded& loaded, Record& record,
                               const place::Shutdown& shutdown, tools::Tasks& tasks) {
    const store::Turn& turn = record.turn();
    const auto create = [&place, &loaded, &turn](const tools::SpawnRequest& request) {
        auto known = store::find_child_of_call(place.store, turn.id, request.call_id);
        if (known && known->status == store::AgentStatus::creating) {  // its creation was killed
            (void)life::lock_children(place.surroundings.home, place.store, place.agent);
            known = store::find_child_of_call(place.store, turn.id, request.call_id);
        }
        if (known) return known->dir;
        if (!request.wait)
            task::require_room(place.store, place.agent.id,
                               "wait for one with task_wait, or end it with task_kill");
        const bool is_elsewhere = place.root.path() != sys::real_path(place.directory.workspace());
        const life::SpawnOptions wanted{
            .preset = request.preset,
            .description = place.redaction.apply(request.description),
            .allowed_paths = request.allowed_paths,
            .denied_paths = request.denied_paths,
            .place = is_elsewhere ? place.root.path() : "",
            .isolate = request.isolate,
            .rights = place::rights_text(loaded, place.home_configuration, loaded.settings.sandbox,
                                         loaded.joined),
            .parent_turn = turn.id,
            .parent_call = request.call_id};
        const sys::Environment environment =
            environment_for_sub_agent(place.surroundings.environment, place.surroundings.home);
        return place::spawn_sub_agent(place.store, place.agent, wanted, {}, environment,
                                      place.surroundings.home)
            .dir;
    };
    // a sub-agent runs in a thread of its own
    const auto emitting = std::make_shared<std::mutex>();
    const auto run = [&place, &record, &turn, &shutdown, emitting](
                         const std::string& dir, const tools::SpawnRequest& request,
                         const std::string& prompt) {
        Followed followed(
            {.sub_agent = id_of(dir),
             .preset = request.preset,
             .description = place.redaction.apply(request.description)},
            [&record, &lock = *emitting](const chat::Subtask& subtask) {
                const std::lock_guard guard(lock);
                record.emit(subtask);
            },
            [&place, &lock = *emitting](Followed::Printer printer, const std::string& line) {
                const std::lock_guard guard(lock);
                (place.surroundings.*printer)(line);
            });
        const std::string key = key_of(turn.id, request.call_id);
        const auto take_turn = [&] {
            sys::ProcessCommand command = command_for(place, dir, key);
            command.input = prompt;
            return sys::run(
                command,
                {.output_bytes = kept_output_bytes,
                 .stop = [&shutdown] { return shutdown.requested(); },
                 .stop_fd = place.surroundings.interrupt.fd(),
                 .stop_grace_ms = [&place] { return grace_of(place); },
                 .output = [&followed](sys::Bounds::Source source,
                                       std::string_view piece) { followed.read(source, piece); }});
        };
        {
            const std::lock_guard guard(*emitting);
            if (auto over = result_of_ended(place.store, dir, key)) return over;
        }
        sys::Finished finished = take_turn();
        // killed from outside: the key finds the turn, which goes on
        if (finished.signal != 0 && !finished.stopped && !shutdown.requested()) {
            followed.begin_again();
            finished = take_turn();
        }
        auto outcome = followed.outcome(finished, shutdown.timed_out() && !shutdown.by_signal());
        if (outcome && outcome->is_error) {
            const std::lock_guard guard(*emitting);
            close_ended(place, dir, key);
        }
        return outcome;
    };
    const auto start = [&place, &turn, &tasks](const std::string& dir,
                                               const tools::SpawnRequest& request,
                                               const std::string& prompt) {
        const std::lock_guard lock(tasks.mutex);
        auto task = store::find_task_of_call(place.store, turn.id, request.call_id);
        const std::string id = id_of(dir);
        if (!task) {
            task::Order order;
            order.about = tasks.about();
            order.sandbox.mode = sys::SandboxMode::off;
            order.grace_ms = grace_of(place);
            order.secrets = tasks.secrets.active();
            order.program = arguments_for(place, dir, key_of(turn.id, request.call_id));
            order.input = prompt;
            order.about.command = "chorus-run " + id;
            order.about.directory = place.root.path();
            order.about.tool_call_id = request.call_id;
            task = task::start(tasks.site, order,
                               sys::Environment(values_in_background(place.surroundings)));
            task::mirror(tasks.site);
        }
        return chat::ToolResult{id + " works in the background as " + task->id +
                                    ". Its answer comes as a message from it; task_wait waits "
                                    "until it has ended\n",
                                false};
    };
    return {create, run, start};
}

}  // namespace chorus::turn
