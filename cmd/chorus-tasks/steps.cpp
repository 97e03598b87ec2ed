#include "chorus-tasks/view.hpp"
#include "cli/time_text.hpp"
#include "sys/clock.hpp"

namespace chorus::command {
namespace {

using cli::Fit;
using store::Step;
using store::Turn;

struct Steps : Named {
    explicit Steps(cli::Command& verb) : Named(verb) {
        verb.option("-t,--thread THREAD", thread,
                    "the newest turn of this thread: main, a number or a branch");
        verb.option("--turn TURN", wanted, "this turn, by its turn_id").from(1);
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
        const store::Agent agent = life::require_known(opened.home, opened.store, name);
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
            opened, json, [&](Form form, std::size_t width) { return draw(opened, form, width); });
    }

    std::string thread;
    std::int64_t wanted = 0;
    Watching watching;
};

}  // namespace

const cli::Verb steps_verb =
    verb<Steps>("steps", "list the steps of a turn and how long they took", json_lines);

}  // namespace chorus::command
