#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <iostream>

#include "chorus-context/reading.hpp"
#include "chorus-context/verb.hpp"
#include "cli/call_line.hpp"
#include "cli/time_text.hpp"

namespace chorus::context_command {
namespace {

using base::Error;
using base::ErrorCode;
using store::StoredMessage;
using store::ToolRun;
using store::Turn;

constexpr std::size_t shown_characters = 80;

struct Options {
    std::string agent;
    std::string thread;
    std::int64_t turn = 0;
    Span span;
    std::int64_t newest = 0;
    bool patches = false;
    cli::ShownOn shown_on = cli::ShownOn::pipe;
    bool json = false;
};

// "idle", "error/denied", "exited/crashed"
std::string end_of(const Turn& turn) {
    const std::string& why = turn.reason.empty() ? turn.error_category : turn.reason;
    return std::string(store::name(turn.state)) + (why.empty() ? "" : "/" + one_line(why));
}

void write_members(chat::JsonText& out, const Turn& turn, const std::string& agent) {
    write_text(out, "agent", agent);
    out.key("thread").number(turn.thread_id).key("turn").number(turn.turn_number);
    out.key("turn_id").number(turn.id);
    write_time(out, "started_at", turn.started_at);
    write_time(out, "ended_at", turn.ended_at);
    write_text(out, "turn_state", store::name(turn.state));
    write_text(out, "reason", turn.reason);
    write_number(out, "exit_code", turn.exit_code, -1);
    chat::write_error(out, {"", turn.error_category, turn.error_detail, ""});
    write_text(out, "model", turn.model);
    write_text(out, "profile", turn.profile);
    write_text(out, "actor", turn.actor);
    out.key("attempt").number(turn.attempt).key("iterations").number(turn.iterations);
    out.key("tool_calls").number(turn.tool_calls);
    chat::write_usage(out, turn.usage);
    chat::write_cost(out, turn.cost_usd);
    write_text(out, "commit_before", turn.commit_before);
    write_text(out, "commit_after", turn.commit_after);
}

std::string prompt_of(store::Store& store, const Turn& turn) {
    return brief(store::turn_prompt(store, turn.id, 4 * shown_characters), shown_characters);
}

bool has_run(const ToolRun& run) {
    return run.intent_at != 0 && run.finished_at != 0;
}

void write_run(chat::JsonText& out, const ToolRun& run) {
    write_text(out.begin_object(), "tool_call_id", run.tool_call_id);
    write_text(out, "tool", run.tool);
    write_text(out, "action", run.action);
    write_text(out, "decision", run.decision);
    write_text(out, "outcome", run.outcome);
    write_number(out, "duration_ms", has_run(run) ? run.finished_at - run.intent_at : -1, -1);
    write_text(out, "patch", run.patch);
    out.end_object();
}

void write_runs(chat::JsonText& out, store::Store& store, const Turn& turn) {
    out.key("calls").begin_array();
    for (const ToolRun& run : store::load_tool_runs(store, turn.id)) write_run(out, run);
    out.end_array();
}

void print_patches(store::Store& store, const Turn& turn, cli::ShownOn where) {
    std::string shown;
    for (const ToolRun& run : store::load_tool_runs(store, turn.id))
        shown += cli::shown_patch(run.patch, where);
    if (!shown.empty()) std::cout << shown << '\n';
}

base::ExitStatus list(const Options& options, Opened& opened, const store::Agent& agent) {
    store::Store& store = *opened.store;
    store::TurnFilter filter{.agent = agent.id};
    filter.since = since_of(options.span);
    filter.until = until_of(options.span);
    filter.newest = options.newest;
    if (!options.thread.empty()) filter.thread = require_thread(opened, agent, options.thread).id;
    const Columns columns({12, -5, -3, 12, -3, -9, -7, 8, 0});
    store::for_each_turn(store, filter, [&](const Turn& turn) {
        const std::string prompt = prompt_of(store, turn);
        if (options.json) {
            chat::JsonText out = chat::open_object("turn");
            write_members(out, turn, agent.name);
            write_text(out, "prompt", prompt);
            if (options.patches)
                write_runs(out, store, turn);
            else
                out.key("calls").null();
            out.key("messages").null();
            std::cout << out.end_object().text() << '\n';
        } else {
            columns.print({cli::shown_time(turn.started_at), std::to_string(turn.id),
                           std::to_string(turn.thread_id), end_of(turn),
                           std::to_string(turn.tool_calls), std::to_string(turn.usage.input_tokens),
                           std::to_string(turn.usage.output_tokens),
                           dollars(turn.cost_usd, turn.cost_usd >= 0), prompt});
            if (options.patches) print_patches(store, turn, options.shown_on);
        }
        return std::cout.good();
    });
    return base::ExitStatus::done;
}

const ToolRun* run_of(const std::vector<ToolRun>& runs, const std::string& call) {
    const auto found = std::find_if(runs.begin(), runs.end(),
                                    [&](const ToolRun& run) { return run.tool_call_id == call; });
    return found == runs.end() ? nullptr : &*found;
}

void print_json(store::Store& store, const Turn& turn, const std::string& agent,
                const std::vector<StoredMessage>& said) {
    chat::JsonText out = chat::open_object("turn");
    write_members(out, turn, agent);
    write_text(out, "prompt", prompt_of(store, turn));
    write_runs(out, store, turn);
    out.key("messages").begin_array();
    for (const StoredMessage& one : said) {
        context_command::write_members(out.begin_object(), one);
        out.end_object();
    }
    std::cout << out.end_array().end_object().text() << '\n';
}

std::string seconds(std::int64_t ms) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f s", static_cast<double>(ms) / 1000);
    return text.data();
}

void print_head(const Turn& turn) {
    const auto line = [](const char* name, const std::string& value) {
        std::cout << "  " << name << std::string(9 - std::string_view(name).size(), ' ')
                  << one_line(value) << '\n';
    };
    std::cout << "turn " << turn.id << ", thread " << turn.thread_id << ", its turn "
              << turn.turn_number << '\n';
    line("began", cli::shown_time(turn.started_at));
    line("end", end_of(turn) +
                    (turn.exit_code < 0 ? "" : ", exit " + std::to_string(turn.exit_code)) +
                    (turn.ended_at == 0 ? "" : ", " + seconds(turn.ended_at - turn.started_at)));
    line("model", turn.model + ", profile " + turn.profile);
    line("by", turn.actor);
    line("tokens", std::to_string(turn.usage.input_tokens) + " in (" +
                       std::to_string(turn.usage.cache_read_tokens) + " cached), " +
                       std::to_string(turn.usage.output_tokens) + " out, in " +
                       std::to_string(turn.iterations) + " model calls");
    line("cost", dollars(turn.cost_usd, turn.cost_usd >= 0));
    if (turn.commit_before != turn.commit_after && !turn.commit_after.empty())
        line("commits", turn.commit_before + ".." + turn.commit_after);
    if (!turn.error_detail.empty()) line("error", turn.error_detail);
}

void print_call(const chat::ToolCall& call, const ToolRun* run, const Options& options) {
    std::cout << "call " << one_line(call.name);
    if (run != nullptr) {
        if (!run->decision.empty()) std::cout << ", " << run->decision;
        std::cout << ", " << (run->outcome.empty() ? "no result yet" : run->outcome);
        if (has_run(*run)) std::cout << ", " << run->finished_at - run->intent_at << " ms";
    }
    const bool has_patch = options.patches && run != nullptr && !run->patch.empty();
    std::cout << '\n'
              << (has_patch ? cli::shown_patch(run->patch, options.shown_on)
                            : indented(call.arguments));
}

void print_text(const Turn& turn, const std::vector<StoredMessage>& said, store::Store& store,
                const Options& options) {
    const auto runs = store::load_tool_runs(store, turn.id);
    print_head(turn);
    for (const StoredMessage& one : said) {
        const chat::Message& message = one.message;
        const char* name = message.role == chat::Role::user        ? "prompt"
                           : message.role == chat::Role::assistant ? "answer"
                                                                   : "result";
        if (!message.content.empty() || message.tool_calls.empty())
            std::cout << name << (one.left_for ? ", no longer in the window" : "") << '\n'
                      << indented(message.content);
        for (const chat::ToolCall& call : message.tool_calls)
            print_call(call, run_of(runs, call.id), options);
    }
}

base::ExitStatus show(const Options& options, store::Store& store, const store::Agent& agent) {
    const store::ReadTransaction all_at_once(store);
    const auto turn = store::find_turn(store, options.turn);
    if (!turn || turn->agent_id != agent.id)
        throw Error(ErrorCode::not_found,
                    "agent '" + agent.name + "': no turn " + std::to_string(options.turn),
                    "chorus-context log " + agent.name + " lists them");
    const auto said = store::turn_messages(store, turn->id);
    if (options.json)
        print_json(store, *turn, agent.name, said);
    else
        print_text(*turn, said, store, options);
    return base::ExitStatus::done;
}

base::ExitStatus run(Options options, Opened& opened) {
    if (isatty(STDOUT_FILENO) == 1)
        options.shown_on =
            in_color(opened.environment) ? cli::ShownOn::color_terminal : cli::ShownOn::terminal;
    const store::Agent agent = life::require_known(*opened.store, options.agent);
    return options.turn == 0 ? list(options, opened, agent) : show(options, *opened.store, agent);
}

}  // namespace

Action add_log(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    verb.word("NAME", options->agent, "the agent, also a destroyed one").required();
    verb.word("TURN", options->turn, "print this turn in full, by its turn_id").from(1);
    add_span(verb, options->span);
    verb.option("-t,--thread THREAD", options->thread,
                "only this thread: main, a number or a branch");
    verb.option("-n,--limit N", options->newest, "only the last N").from(1);
    verb.flag("-p,--patch", options->patches, "show what calls changed in files");
    verb.flag("--json", options->json, "print one JSON object per turn");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
