#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>

#include "chorus-context/reading.hpp"
#include "chorus-context/verbs.hpp"
#include "cli/call_line.hpp"
#include "life/children.hpp"
#include "report/standing.hpp"
#include "store/agents.hpp"
#include "store/history.hpp"

namespace chorus::command {
namespace {

using cli::Fit;
using store::StoredMessage;
using store::ToolRun;
using store::Turn;

constexpr std::size_t shown_characters = 80;

// "idle", "error/denied", "exited/crashed"
std::string end_of(const Turn& turn, std::string_view state) {
    const std::string& why = turn.reason.empty() ? turn.error_category : turn.reason;
    return std::string(state) + (why.empty() ? "" : "/" + one_line(why));
}

std::int64_t duration_ms(const ToolRun& run) {
    const bool has_run = run.intent_at != 0 && run.finished_at != 0;
    return has_run ? run.finished_at - run.intent_at : -1;
}

Fields run_fields(const ToolRun& run) {
    return {{"tool_call_id", run.tool_call_id},
            {"tool", run.tool},
            {"action", run.action},
            {"decision", run.decision},
            {"outcome", run.outcome},
            {"duration_ms", cli::number(duration_ms(run), -1)},
            {"patch", run.patch}};
}

struct Log : Named {
    explicit Log(cli::Command& verb) : Named(verb, "the agent, also a destroyed one") {
        verb.word("TURN", wanted, "print this turn in full, by its turn_id").from(1);
        span.add(verb);
        verb.option("-t,--thread THREAD", thread, "only this thread: main, a number or a branch");
        verb.option("-n,--limit N", filter.newest, "only the last N").from(1);
        verb.flag("-p,--patch", patches, "show what calls changed in files");
        verb.flag("--tree", filter.with_sub_agents, "list the turns of sub-agents too");
    }

    Fields fields_of_turn(store::Store& store, const store::Agent& agent, const Turn& turn,
                          cli::Value calls, cli::Value messages, std::size_t depth = 0) const {
        const std::string prompt =
            brief(store::turn_prompt(store, turn.id, 4 * shown_characters), shown_characters);
        const std::string metadata = store::metadata_of(turn);
        const std::string_view state = store::name(report::state_now(turn));
        const std::string tree = filter.with_sub_agents && agent.kind == "child"
                                     ? std::string(2 * depth, ' ') + agent.name + ": "
                                     : "";
        return {{"agent", agent.name},
                {"parent_turn_id", cli::number(agent.parent_turn, 0)},
                {"thread", turn.thread_id},
                {"turn", turn.turn_number},
                {"turn_id", turn.id},
                {"started_at", Time{turn.started_at}},
                {"ended_at", Time{turn.ended_at}},
                {"turn_state", state, end_of(turn, state)},
                {"reason", turn.reason},
                {"exit_code", cli::number(turn.exit_code, -1)},
                error_field(turn),
                {"model", turn.model},
                {"profile", turn.profile},
                {"actor", turn.actor},
                {"attempt", turn.attempt},
                {"iterations", turn.iterations},
                {"tool_calls", turn.tool_calls},
                usage_field(turn.usage),
                cost_field(turn.usage.cost),
                {"commit_before", turn.commit_before},
                {"commit_after", turn.commit_after},
                {"metadata", metadata.empty() ? cli::Value() : cli::Json{metadata}},
                {"prompt", prompt, tree + prompt},
                {"calls", std::move(calls)},
                {"messages", std::move(messages)},
                cli::shown("input", std::to_string(turn.usage.input_tokens)),
                cli::shown("output", std::to_string(turn.usage.output_tokens)),
                cli::shown("cost", dollars(turn.usage.cost))};
    }

    void list(Opened& opened, const store::Agent& agent) {
        filter.agent = agent.id;
        span.limit(filter);
        if (!thread.empty()) filter.thread = require_thread(opened, agent, thread).id;
        const Form form = cli::form_of_stdout(json);
        const cli::Table table("turn",
                               {{.key = "started_at", .width = 12},
                                {.key = "turn_id", .fit = Fit::right, .width = 5},
                                {.key = "thread", .fit = Fit::right, .width = 3},
                                {.key = "turn_state", .width = 12},
                                {.key = "tool_calls", .fit = Fit::right, .width = 3},
                                {.key = "input", .fit = Fit::right, .width = 9},
                                {.key = "output", .fit = Fit::right, .width = 7},
                                {.key = "cost", .width = 8},
                                {.key = "prompt"}},
                               "");
        store::for_each_turn(opened.store, filter, [&](const Turn& turn) {
            print_line(opened.store, agent_of(opened.store, turn, agent), turn, table, form, 0);
            return std::cout.good();
        });
    }

    static store::Agent agent_of(store::Store& store, const Turn& turn, const store::Agent& usual) {
        return turn.agent_id == usual.id ? usual : *store::find_agent(store, turn.agent_id);
    }

    void print_line(store::Store& store, const store::Agent& agent, const Turn& turn,
                    const cli::Table& table, Form form, std::size_t depth) const {
        std::vector<ToolRun> runs;
        if (patches) runs = store::load_tool_runs(store, turn.id);
        const cli::Value calls = patches ? cli::each(runs, run_fields) : cli::Value();
        std::cout << table.line(fields_of_turn(store, agent, turn, calls, {}, depth), form) << '\n';
        std::string shown;
        for (const ToolRun& run : runs) shown += cli::shown_patch(run.patch, shown_on);
        if (form != Form::json && !shown.empty()) std::cout << shown << '\n';
        if (!filter.with_sub_agents) return;
        for (const store::TurnId below : store::turns_spawned_by(store, turn.id))
            if (const auto found = store::find_turn(store, below))
                print_line(store, agent_of(store, *found, agent), *found, table, form, depth + 1);
    }

    static std::string seconds(std::int64_t ms) {
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "%.1f s", static_cast<double>(ms) / 1000);
        return text.data();
    }

    static void print_head(const Turn& turn, const std::string& of) {
        const auto line = [](const char* what, const std::string& value) {
            std::cout << "  " << cli::padded(what, 9) << one_line(value) << '\n';
        };
        std::cout << "turn " << turn.id << of << ", thread " << turn.thread_id << ", its turn "
                  << turn.turn_number << '\n';
        line("began", cli::shown_time(turn.started_at));
        line("end",
             end_of(turn, store::name(report::state_now(turn))) +
                 (turn.exit_code < 0 ? "" : ", exit " + std::to_string(turn.exit_code)) +
                 (turn.ended_at == 0 ? "" : ", " + seconds(turn.ended_at - turn.started_at)));
        line("model", turn.model + ", profile " + turn.profile);
        line("by", turn.actor);
        line("tokens", std::to_string(turn.usage.input_tokens) + " in (" +
                           std::to_string(turn.usage.cache_read_tokens) + " cached), " +
                           std::to_string(turn.usage.output_tokens) + " out, in " +
                           std::to_string(turn.iterations) + " model calls");
        line("cost", dollars(turn.usage.cost));
        if (turn.commit_before != turn.commit_after && !turn.commit_after.empty())
            line("commits", turn.commit_before + ".." + turn.commit_after);
        if (const std::string metadata = store::metadata_of(turn); !metadata.empty())
            line("metadata", metadata);
        if (!turn.error_detail.empty()) line("error", turn.error_detail);
    }

    void print_call(const chat::ToolCall& call, const std::vector<ToolRun>& runs) const {
        const auto run = std::find_if(runs.begin(), runs.end(), [&](const ToolRun& one) {
            return one.tool_call_id == call.id;
        });
        std::cout << "call " << one_line(call.name);
        if (run != runs.end()) {
            if (!run->decision.empty()) std::cout << ", " << run->decision;
            std::cout << ", " << (run->outcome.empty() ? "no result yet" : run->outcome);
            if (const auto ms = duration_ms(*run); ms >= 0) std::cout << ", " << ms << " ms";
        }
        const bool has_patch = patches && run != runs.end() && !run->patch.empty();
        std::cout << '\n'
                  << (has_patch ? cli::shown_patch(run->patch, shown_on)
                                : indented(call.arguments));
    }

    void print_text(const Turn& turn, const std::string& of, const std::vector<StoredMessage>& said,
                    const std::vector<ToolRun>& runs) const {
        print_head(turn, of);
        for (const StoredMessage& one : said) {
            const chat::Message& message = one.message;
            const char* what = message.role == chat::Role::user        ? "prompt"
                               : message.role == chat::Role::assistant ? "answer"
                                                                       : "result";
            if (!message.content.empty() || message.tool_calls.empty())
                std::cout << what << (one.left_for ? ", no longer in the window" : "") << '\n'
                          << indented(chat::shown_content(message));
            for (const chat::ToolCall& call : message.tool_calls) print_call(call, runs);
        }
    }

    // Whether it is that agent or a sub-agent of it, at any depth.
    static bool is_of(store::Store& store, const store::Agent& of, const store::Agent& agent) {
        const auto above = life::ancestors_of(store, of);
        return of.id == agent.id || std::any_of(above.begin(), above.end(), [&](const auto& one) {
                   return one.id == agent.id;
               });
    }

    void show(store::Store& store, const store::Agent& agent) const {
        const store::ReadTransaction all_at_once(store);
        const auto turn = store::find_turn(store, wanted);
        const store::Agent of = turn ? agent_of(store, *turn, agent) : agent;
        if (!turn || !is_of(store, of, agent))
            throw Error(ErrorCode::not_found,
                        "agent '" + name + "': no turn " + std::to_string(wanted),
                        "chorus-context log " + name + " lists them");
        const auto said = store::turn_messages(store, turn->id);
        const auto runs = store::load_tool_runs(store, turn->id);
        if (json)
            std::cout << cli::json(
                             "turn",
                             fields_of_turn(
                                 store, of, *turn, cli::each(runs, run_fields),
                                 cli::each(said, [](const auto& one) { return fields_of(one); })))
                      << '\n';
        else
            print_text(*turn, of.id == agent.id ? "" : " of " + of.name, said, runs);
    }

    void run(Opened& opened) {
        if (isatty(STDOUT_FILENO) == 1)
            shown_on = in_color(opened.environment) ? cli::ShownOn::color_terminal
                                                    : cli::ShownOn::terminal;
        const store::Agent agent = life::require_known(opened.home, opened.store, name);
        return wanted == 0 ? list(opened, agent) : show(opened.store, agent);
    }

    store::TurnFilter filter;
    std::string thread;
    std::int64_t wanted = 0;
    Span span;
    bool patches = false;
    cli::ShownOn shown_on = cli::ShownOn::pipe;
};

}  // namespace

const cli::Verb log_verb =
    verb<Log>("log", "list the turns of an agent", "print one JSON object per turn");

}  // namespace chorus::command
