#include <climits>
#include <memory>

#include "base/error.hpp"
#include "chorus-tasks/standing.hpp"
#include "chorus-tasks/view.hpp"
#include "cli/table.hpp"
#include "cli/time_text.hpp"
#include "context/find_thread.hpp"
#include "sys/clock.hpp"

namespace chorus::tasks_command {
namespace {

using base::Error;
using base::ErrorCode;
using cli::Align;
using cli::Form;
using store::Step;

struct Options : ViewOptions {
    std::string thread;
    std::int64_t turn = 0;
};

// Returns the turn asked for, or the newest one of the thread; nothing if that has none.
std::optional<store::Turn> chosen_turn(Opened& opened, const store::Agent& agent,
                                       const Options& options) {
    if (options.turn == 0) {
        const agent::Directory directory(opened.home.path() + "/" + agent.dir);
        const auto thread = context::require_thread(opened.store, agent, directory, options.thread);
        return store::newest_turn(opened.store, agent.id, thread.id);
    }
    auto turn = store::find_turn(opened.store, options.turn);
    if (turn && turn->agent_id == agent.id) return turn;
    throw Error(ErrorCode::not_found,
                "--turn: agent '" + agent.name + "' has no turn " + std::to_string(options.turn),
                "chorus-context log " + agent.name + " lists the ids of its turns");
}

// Adds what a running turn does now, as steps without an end: they are not recorded yet.
void add_present(Opened& opened, const store::Turn& turn, std::vector<Step>& steps) {
    if (!report::is_at_work(report::state_now(turn))) return;
    auto number = static_cast<std::int64_t>(steps.size());
    const auto calls = store::unfinished_tool_runs(opened.store, turn.id);
    const base::TimeMs last = steps.empty() ? turn.started_at : steps.back().ended_at;
    for (const store::ToolRun& run : calls)
        steps.push_back({turn.id, ++number, "tool " + run.tool, run.intent_at, 0, 0});
    if (calls.empty()) steps.push_back({turn.id, ++number, "model call", last, 0, 0});
}

std::string json_of(const store::Turn& turn, const Step& step, const std::string& agent) {
    chat::JsonText out = chat::open_object("step");
    write_text(out, "agent", agent);
    out.key("thread").number(turn.thread_id).key("turn").number(turn.turn_number);
    out.key("turn_id").number(turn.id).key("step").number(step.step_number);
    write_text(out, "description", step.description);
    write_time(out, "started_at", step.started_at);
    write_time(out, "ended_at", step.ended_at);
    write_number(out, "duration_ms", step.ended_at == 0 ? -1 : step.duration_ms, -1);
    return out.end_object().take();
}

std::string plain_line(const Step& step) {
    return cli::tabbed({std::to_string(step.step_number), iso(step.started_at),
                        step.ended_at == 0 ? "" : std::to_string(step.duration_ms),
                        one_line(step.description)});
}

std::vector<std::string> for_people(const store::Turn& turn, const std::vector<Step>& steps,
                                    std::size_t width) {
    cli::Table table({{"STEP", Align::right}, {"WHAT", Align::left, true}, {"TOOK", Align::right}});
    for (const Step& step : steps) {
        const bool has_ended = step.ended_at != 0;
        const std::int64_t took = has_ended ? step.duration_ms : sys::now_ms() - step.started_at;
        table.add({std::to_string(step.step_number), one_line(step.description),
                   cli::duration_text(took) + (has_ended ? "" : " so far")});
    }
    std::vector<std::string> lines{"Turn " + std::to_string(turn.turn_number) + " of thread " +
                                   std::to_string(turn.thread_id) + ", " +
                                   std::string(store::name(report::state_now(turn))) + ", began " +
                                   ago(turn.started_at)};
    for (std::string& line : table.lines(width)) lines.push_back(std::move(line));
    cut_lines(lines, width);
    return lines;
}

cli::Frame draw(Opened& opened, const Options& options, Form form, std::size_t width) {
    const store::Agent agent = known_agent(opened, options.name);
    const auto turn = chosen_turn(opened, agent, options);
    cli::Frame frame;
    if (!turn) {
        if (form == Form::terminal) frame.lines = {"No turn yet."};
        return frame;
    }
    std::vector<Step> steps = store::load_steps(opened.store, turn->id);
    add_present(opened, *turn, steps);
    if (form == Form::terminal)
        frame.lines = for_people(*turn, steps, width);
    else
        for (const Step& step : steps)
            frame.lines.push_back(form == Form::json ? json_of(*turn, step, agent.name)
                                                     : plain_line(step));
    return frame;
}

}  // namespace

Action add_steps(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    add_name(verb, *options);
    verb.option("-t,--thread THREAD", options->thread,
                "the newest turn of this thread: main, a number or a branch");
    verb.option("--turn TURN", options->turn, "this turn, by its turn_id").from(1);
    add_json(verb, *options, "print one JSON object per line");
    return [options](Opened& opened) {
        return show(opened, *options, [&](Form form, std::size_t width) {
            return draw(opened, *options, form, width);
        });
    };
}

}  // namespace chorus::tasks_command
