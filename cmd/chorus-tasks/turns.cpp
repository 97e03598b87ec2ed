// Turns of an agent: their steps, their changes of state, their end.
#include <iostream>

#include "base/text.hpp"
#include "chorus-tasks/verbs.hpp"
#include "chorus-tasks/view.hpp"
#include "cli/time_text.hpp"
#include "store/records.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "upkeep/cancel.hpp"

namespace chorus::command {
namespace {

using cli::Fit;
using store::EventRow;
using store::Step;
using store::Turn;

constexpr std::size_t most_at_once = 1'000;

struct Cancel : Named {
    explicit Cancel(cli::Command& verb) : Named(verb) {
        verb.option("-t,--thread THREAD", thread, "only this thread: main, a number or a branch");
        verb.option("--wait TIME", wait, "time to wait for the end of the turns (default: 60s)");
        verb.flag("--json", json, "print one JSON object per line");
    }

    ExitStatus print(const Turn& turn) const {
        const std::string_view state = store::name(report::state_now(turn));
        const std::string why =
            turn.exit_code >= 0 ? "exit " + std::to_string(turn.exit_code) : one_line(turn.reason);
        return cli::print(json, "canceled",
                          {{"agent", name},
                           {"thread", turn.thread_id},
                           {"turn", turn.turn_number},
                           {"turn_id", turn.id},
                           {"turn_state", state},
                           {"reason", turn.reason},
                           {"exit_code", cli::number(turn.exit_code, -1)}},
                          "turn " + std::to_string(turn.turn_number) + " of thread " +
                              std::to_string(turn.thread_id) + ": " + std::string(state) +
                              (why.empty() ? "" : " (" + why + ")"));
    }

    ExitStatus run(Opened& opened) const {
        const store::Agent agent = require_agent(opened);
        upkeep::CancelOptions wanted;
        wanted.wait_ms = cli::require_duration_ms(wait, "--wait");
        if (!thread.empty()) wanted.thread = require_thread(opened, agent, thread).id;
        const auto ended =
            upkeep::cancel_turns(opened.home, opened.store, agent.id, wanted, interruptible());
        if (ended.empty()) notice("agent '" + name + "': no turn is running or parked");
        for (const Turn& turn : ended) print(turn);
        return ExitStatus::done;
    }

    std::string thread;
    std::string wait = "60s";  // more than a turn takes to end
    bool json = false;
};

struct Events : Named {
    explicit Events(cli::Command& verb) : Named(verb) {
        verb.option("--since TIME", since, "only events since TIME");
        watching.add_follow(verb);
        verb.flag("--json", watching.json, "print one JSON object per line");
    }

    Fields fields_of(const EventRow& row) const {
        return {{"id", row.id},
                {"created_at", Time{row.at}},
                {"agent", name},
                {"thread", cli::number(row.thread_id, 0)},
                {"turn_id", cli::number(row.turn_id, 0)},
                {"kind", row.kind},
                {"previous", row.previous},
                {"next", row.next},
                {"cause", row.cause},
                {"data", row.data}};
    }

    // "2026-02-12T10:30:00.000Z  thread 1  turn 7    working -> idle     completed"
    static std::string for_people(const EventRow& row) {
        const std::string where =
            row.thread_id == 0 ? "agent" : "thread " + std::to_string(row.thread_id);
        const std::string what =
            row.kind == "task"
                ? one_line(row.data)
                : row.kind + (row.turn_id == 0 ? "" : " " + std::to_string(row.turn_id));
        return iso(row.at) + "  " + cli::padded(where, 9) + "  " + cli::padded(one_line(what), 9) +
               "  " + cli::padded(one_line(row.previous + " -> " + row.next), 22) + "  " +
               one_line(row.cause);
    }

    ExitStatus run(Opened& opened) const {
        const cli::Table table("transition", {{"id"},
                                              {"created_at"},
                                              {"thread"},
                                              {"turn_id"},
                                              {"kind"},
                                              {"previous"},
                                              {"next"},
                                              {"cause"},
                                              {"data"}});
        const store::Agent known = life::require_known(opened.store, name);
        store::EventFilter filter{.agent = known.id};
        if (!since.empty()) filter.since = cli::require_time(since, "--since");
        return watching.append(opened, [&](Form form, std::size_t width) {
            // the status is read before the events, so that the last frame has every event of the
            // agent
            cli::Frame frame{.lines = {}, .is_last = is_gone(again(opened, known))};
            store::for_each_event(opened.store, filter, [&](const EventRow& row) {
                filter.after = row.id;
                frame.lines.push_back(form == Form::terminal ? for_people(row)
                                                             : table.line(fields_of(row), form));
                return frame.lines.size() < most_at_once;
            });
            filter.since = 0;
            frame.goes_on = frame.lines.size() == most_at_once;
            if (form == Form::terminal) cut_lines(frame.lines, width);
            return frame;
        });
    }

    std::string since;
    Watching watching;
};

struct Ready : Named {
    explicit Ready(cli::Command& verb) : Named(verb) {
        verb.flag("--json", json, "print one JSON object if the agent is ready");
    }

    ExitStatus run(Opened& opened) const {
        const agent::Directory directory = opened.directory(require_agent(opened));
        if (!sys::exists(directory.configuration()))
            throw Error(ErrorCode::not_ready,
                        "agent '" + name + "': " + directory.configuration() + " is gone");
        if (json) std::cout << cli::json("ready", {{"agent", name}, {"ready", true}}) << '\n';
        return ExitStatus::done;
    }

    bool json = false;
};

struct Steps : Named {
    explicit Steps(cli::Command& verb) : Named(verb) {
        verb.option("-t,--thread THREAD", thread,
                    "the newest turn of this thread: main, a number or a branch");
        verb.option("--turn TURN", wanted, "this turn, by its turn_id").from(1);
        verb.flag("--json", watching.json, "print one JSON object per line");
    }

    // Returns the turn asked for, or the newest one of the thread; nothing if that has none.
    std::optional<Turn> chosen_turn(Opened& opened, const store::Agent& agent) const {
        if (wanted == 0)
            return store::newest_turn(opened.store, agent.id,
                                      require_thread(opened, agent, thread).id);
        auto turn = store::find_turn(opened.store, wanted);
        if (turn && turn->agent_id == agent.id) return turn;
        throw Error(ErrorCode::not_found,
                    "--turn: agent '" + name + "' has no turn " + std::to_string(wanted),
                    "chorus-context log " + name + " lists the ids of its turns");
    }

    // Adds what a running turn does now, as steps without an end: they are not recorded yet.
    static void add_present(Opened& opened, const Turn& turn, std::vector<Step>& steps) {
        if (!report::is_at_work(report::state_now(turn))) return;
        auto number = static_cast<std::int64_t>(steps.size());
        const auto calls = store::unfinished_tool_runs(opened.store, turn.id);
        const base::TimeMs last = steps.empty() ? turn.started_at : steps.back().ended_at;
        for (const store::ToolRun& run : calls)
            steps.push_back({turn.id, ++number, "tool " + run.tool, run.intent_at, 0, 0});
        if (calls.empty()) steps.push_back({turn.id, ++number, "model call", last, 0, 0});
    }

    Fields fields_of(const Turn& turn, const Step& step) const {
        const bool has_ended = step.ended_at != 0;
        const std::int64_t took = has_ended ? step.duration_ms : sys::now_ms() - step.started_at;
        return {{"agent", name},
                {"thread", turn.thread_id},
                {"turn", turn.turn_number},
                {"turn_id", turn.id},
                {"step", step.step_number},
                {"description", step.description},
                {"started_at", Time{step.started_at}},
                {"ended_at", Time{step.ended_at}},
                {"duration_ms", has_ended ? cli::Value(took) : cli::Value()},
                cli::shown("took", cli::duration_text(took) + (has_ended ? "" : " so far"))};
    }

    cli::Frame draw(Opened& opened, Form form, std::size_t width) const {
        const store::Agent agent = life::require_known(opened.store, name);
        const auto turn = chosen_turn(opened, agent);
        if (!turn && form == Form::terminal) return {.lines = {"No turn yet."}};
        if (!turn) return {};
        std::vector<Step> steps = store::load_steps(opened.store, turn->id);
        add_present(opened, *turn, steps);
        const cli::Table for_scripts("step",
                                     {{"step"}, {"started_at"}, {"duration_ms"}, {"description"}});
        const cli::Table for_people("step", {{"step", "STEP", Fit::right},
                                             {"description", "WHAT", Fit::gives_way},
                                             {"took", "TOOK", Fit::right}});
        const auto rows =
            cli::each(steps, [&](const Step& step) { return fields_of(*turn, step); });
        if (form != Form::terminal) return {.lines = for_scripts.lines(rows, form)};
        cli::Frame frame{.lines = for_people.lines(rows, form, width)};
        frame.lines.insert(frame.lines.begin(),
                           "Turn " + std::to_string(turn->turn_number) + " of thread " +
                               std::to_string(turn->thread_id) + ", " +
                               std::string(store::name(report::state_now(*turn))) + ", began " +
                               cli::ago(turn->started_at));
        cut_lines(frame.lines, width);
        return frame;
    }

    ExitStatus run(Opened& opened) const {
        return watching.show(
            opened, [&](Form form, std::size_t width) { return draw(opened, form, width); });
    }

    std::string thread;
    std::int64_t wanted = 0;
    Watching watching;
};

}  // namespace

std::vector<cli::Verb> turn_verbs() {
    return {verb<Cancel>("cancel", "cancel the running turns of an agent"),
            verb<Events>("events", "list changes of state, in order"),
            verb<Ready>("ready", "check whether an agent can take a turn: exit 0 or 4"),
            verb<Steps>("steps", "list the steps of a turn and how long they took")};
}

}  // namespace chorus::command
