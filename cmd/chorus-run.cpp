#include <cstring>
#include <iostream>
#include <memory>

#include "agent/configuration.hpp"
#include "agent/home.hpp"
#include "agent/own_places.hpp"
#include "approval/decision.hpp"
#include "base/text.hpp"
#include "chorus-run/asking.hpp"
#include "chorus-run/given.hpp"
#include "chorus-run/here.hpp"
#include "cli/main.hpp"
#include "cli/output.hpp"
#include "cli/prompt_input.hpp"
#include "cli/time_text.hpp"
#include "model/choice.hpp"
#include "place/secrets.hpp"
#include "place/spawning.hpp"
#include "sys/clock.hpp"
#include "sys/environment.hpp"
#include "sys/signals.hpp"
#include "turn/turn.hpp"

namespace chorus::embedded {
extern const std::string_view schema;
}

namespace {

using namespace chorus;
using base::Error;
using base::ErrorCode;
using base::ExitStatus;

constexpr const char* program = "chorus-run";

struct Options {
    place::TurnOptions turn;
    cli::PromptSources prompt;
    cli::OutputOptions output;
    std::string format = "text";
    std::string color = "auto";
    std::string events = "turn";
    std::string stdin_use;
    std::string timeout;
    std::int64_t timeout_ms = 0;  // 0: none
    std::string max_usd;
    std::string temperature;
    std::string ask_timeout = "60s";
    std::string on_ask;
    std::string permissions;
    std::vector<std::string> attached;
    std::vector<std::string> metadata;
    std::string json_schema;
    std::string record;
    std::string trace;
    std::string approve;
    std::string deny;
    std::string answer;
    std::string reason;
    bool always = false;
    bool even_if_changed = false;
    std::optional<std::string> wait;
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    life::SpawnOptions spawn;  // of no preset: none is spawned
    std::vector<std::string> allowed_paths;
    std::string sub_agent;
    bool dry_run = false;
    bool print_event_schema = false;
};

cli::StdinUse stdin_use(const std::string& given, const sys::Environment& environment) {
    const std::string value = given.empty() ? environment.get("CHORUS_STDIN", "append") : given;
    if (const auto use = cli::stdin_uses.find(value)) return *use;
    throw Error(
        given.empty() ? ErrorCode::config_invalid : ErrorCode::bad_request,
        (given.empty() ? "CHORUS_STDIN: " : "--stdin: ") + base::quoted(value) + " is not valid",
        "use 'append', 'ignore' or 'inline'");
}

// Looked up before parsing, so that a usage error is printed in that format too.
cli::Format format_in(int argc, char** argv) {
    for (int i = 1; i < argc && std::strcmp(argv[i], "--") != 0; ++i) {
        const std::string_view word = argv[i];
        if (word == "--json") return cli::Format::json;
        const std::string_view value = word.rfind("--output-format=", 0) == 0      ? word.substr(16)
                                       : word == "--output-format" && i + 1 < argc ? argv[i + 1]
                                                                                   : "";
        if (const auto format = cli::formats.find(value)) return *format;
    }
    return cli::Format::text;
}

// It has a thread of its own, which does not wait for a person.
void settle_ephemeral(Options& options) {
    if (options.on_ask == "suspend")
        throw Error(ErrorCode::bad_request, "--ephemeral: such a turn waits for no decision",
                    "use --on-ask deny or --on-ask fail");
    if (!options.turn.on_ask_given) options.turn.on_ask = place::OnAsk::deny;
    options.turn.on_ask_given = true;
    options.turn.new_thread = !options.dry_run;
}

void settle_options(Options& options, const sys::Environment& environment) {
    options.output.format = options.json ? cli::Format::json : *cli::formats.find(options.format);
    options.output.internal_events = options.events == "all";
    options.output.verbosity = options.quiet     ? cli::Verbosity::quiet
                               : options.verbose ? cli::Verbosity::verbose
                                                 : cli::Verbosity::normal;
    options.output.color = *cli::colors.find(options.color);
    options.output.no_color = environment.has("NO_COLOR");
    options.prompt.stdin_use = stdin_use(options.stdin_use, environment);
    options.prompt.stdin_timeout_ms =
        environment.find_ms("CHORUS_STDIN_TIMEOUT_MS").value_or(600'000);
    if (!options.temperature.empty())
        options.turn.model_options.temperature =
            run_command::temperature_given(options.temperature);
    if (!options.max_usd.empty())
        options.turn.max_usd = cli::require_usd(options.max_usd, "--max-usd");
    if (!options.timeout.empty())
        options.timeout_ms = cli::require_duration_ms(options.timeout, "--timeout");
    if (options.wait)
        options.turn.wait_ms =
            options.wait->empty() ? -1 : cli::require_duration_ms(*options.wait, "--wait");
    if (const auto on_ask = place::on_asks.find(options.on_ask)) {
        options.turn.on_ask = *on_ask;
        options.turn.on_ask_given = true;
    }
    if (!options.json_schema.empty())
        options.turn.json_schema = run_command::schema_given(options.json_schema);
    options.turn.metadata = run_command::metadata_given(options.metadata);
    if (!options.permissions.empty())
        options.turn.permissions = agent::named_permissions(options.permissions, "--permissions");
    options.turn.inline_stdin =
        options.prompt.stdin_use == cli::StdinUse::whole || options.turn.ephemeral;
    if (options.turn.ephemeral) settle_ephemeral(options);
}

// Moves --approve, --deny and --answer into the decision of the turn; --answer takes the words.
void settle_decision(Options& options) {
    using Verb = place::PromptDecision::Verb;
    const auto take = [&](const std::string& id, Verb verb) {
        if (!id.empty())
            options.turn.decision =
                place::PromptDecision{.verb = verb,
                                      .id = id,
                                      .text = options.reason,
                                      .always = options.always,
                                      .even_if_changed = options.even_if_changed};
    };
    take(options.approve, Verb::approve);
    take(options.deny, Verb::deny);
    take(options.answer, Verb::answer);
    if (options.answer.empty()) return;
    if (options.prompt.words.empty())
        throw Error(ErrorCode::bad_request, "--answer: no TEXT",
                    "chorus-run NAME --answer ID TEXT");
    options.turn.decision->text = base::join(options.prompt.words, " ");
    options.prompt.words.clear();
}

ExitStatus run(Options& options, std::unique_ptr<cli::Output>& output) {
    if (options.print_event_schema) {
        std::cout << embedded::schema;
        return ExitStatus::done;
    }
    if (options.turn.agent.empty())
        throw Error(ErrorCode::bad_request, "usage: NAME is required", "see chorus-run --help");
    sys::Environment environment = model::take_environment();
    settle_options(options, environment);
    const agent::Home home = agent::find_home(environment);
    sys::Interrupt& interrupt = sys::Interrupt::install();
    output = std::make_unique<cli::Output>(program, options.output);
    output->check_file(agent::refuse_own_places(home));
    const auto warn = [&](const std::string& text) { output->warn(text); };
    output->give_up_when([&interrupt] { return interrupt.requested(); },
                         [&options] {
                             const std::int64_t deadline_ms = options.turn.deadline_ms;
                             return deadline_ms != 0 && sys::monotonic_ms() > deadline_ms;
                         });

    const std::unique_ptr<channel::Trace> trace =
        run_command::open_trace(options.trace, environment, home);
    run_command::use_recordings(options.turn, options.record, options.output.file, home);
    settle_decision(options);
    const char* goes_on = options.turn.resume        ? "--resume"
                          : options.turn.retry       ? "--retry"
                          : options.turn.inbox       ? "--inbox"
                          : !options.approve.empty() ? "--approve"
                          : !options.deny.empty()    ? "--deny"
                          : !options.answer.empty()  ? "--answer"
                                                     : nullptr;
    if (goes_on == nullptr) {
        run_command::use_attachments(options.turn, options.attached, options.prompt, warn);
        cli::ReadPrompt prompt = cli::read_prompt(options.prompt, warn);
        options.turn.prompt = std::move(prompt.text);
        options.turn.stdin_text = std::move(prompt.stdin_text);
        options.turn.prompt_is_stdin = prompt.text_is_stdin;
        options.turn.prompt_is_file = !options.prompt.file.empty();
    } else if (!options.prompt.words.empty() || options.prompt.text ||
               !options.prompt.file.empty()) {
        throw Error(
            ErrorCode::bad_request, std::string(goes_on) + ": takes no prompt",
            "leave out the prompt to continue; for a new turn leave out " + std::string(goes_on));
    }
    const std::int64_t ask_ms = cli::require_duration_ms(options.ask_timeout, "--ask-timeout");
    if (options.turn.agent == ".")
        run_command::find_agent_here(options.turn, !options.turn.says_nothing() && !options.dry_run,
                                     home, environment, warn);
    ExitStatus status = ExitStatus::failed;
    const place::Surroundings surroundings{
        .home = home,
        .environment = environment,
        .interrupt = interrupt,
        .on_event =
            [&](const chat::Event& event, const chat::EventSource& source) {
                if (trace) trace->event(event);
                output->event(event, source);
            },
        .warn = warn,
        .alert = [&](const std::string& text) { output->alert(text); },
        .shows_text = output->shows_text(),
        .ask = run_command::asks_at_terminal(*output, ask_ms, interrupt),
        .on_decision =
            [&](const store::Prompt& prompt) {
                warn(std::string(name(prompt.state)) + " " + prompt.id + ": " +
                     approval::in_one_line(prompt) +
                     (prompt.arguments.empty() ? "" : " " + prompt.arguments));
            },
        .on_end =
            [&](const chat::TurnResult& result) {
                if (trace) trace->finish(result, warn);
                status = output->finish(result);
            }};
    if (!options.sub_agent.empty())
        place::choose_sub_agent(
            options.sub_agent, options.turn, surroundings,
            options.dry_run ? place::IfUnknown::refuse : place::IfUnknown::enter);
    if (!options.spawn.preset.empty()) {
        if (!options.allowed_paths.empty()) options.spawn.allowed_paths = options.allowed_paths;
        warn("sub-agent " + place::spawn_for_user(options.spawn, options.turn, surroundings));
    }
    if (options.dry_run) {
        const std::string request = turn::dry_run(options.turn, surroundings);
        if (!request.empty()) std::cout << request << '\n';
        return ExitStatus::done;
    }
    if (options.timeout_ms > 0) options.turn.deadline_ms = sys::monotonic_ms() + options.timeout_ms;
    turn::take_turn(options.turn, surroundings);
    return status;
}

void add_prompt_options(cli::Command& app, Options& options) {
    app.word("NAME", options.turn.agent, "the agent");
    app.words("WORDS", options.prompt.words, "the prompt; - for stdin")
        .literal(options.prompt.words_are_literal);
    app.option("-p,--prompt TEXT", options.prompt.text, "the prompt");
    app.option("-f,--file FILE", options.prompt.file, "read the prompt from FILE");
    app.option("-a,--attach FILE", options.attached,
               "attach an image, a PDF or a text; - for stdin; may be repeated");
    app.option("--stdin USE", options.stdin_use, "how to use stdin: append, ignore or inline")
        .one_of({"append", "ignore", "inline"});
}

void add_turn_options(cli::Command& app, Options& options) {
    place::TurnOptions& turn = options.turn;
    app.option("-m,--model MODEL", turn.model, "model for this turn, as provider/name");
    app.option("--fallback-model MODEL", turn.fallback_model,
               "model that goes on if the provider fails or limits the rate");
    app.option("--effort LEVEL", turn.model_options.effort,
               "how much the model reasons, as its provider names it: low, high");
    app.option("--max-tokens N", turn.model_options.max_tokens, "maximum length of an answer")
        .from(1);
    app.option("--temperature T", options.temperature, "randomness of answers, from 0 to 2");
    app.option("--json-schema FILE|JSON", options.json_schema,
               "answer with JSON that is valid against a JSON Schema");
    app.option("--record FILE", options.record, "record requests and answers in FILE");
    app.option("--trace FILE", options.trace, "append the spans of the turn to FILE, as OTLP/JSON");
    app.flag("--strict", turn.strict, "with -m replay/FILE: fail if a request differs");
    app.option("--profile-mode MODE", turn.profile_mode,
               "whether a rate limit switches to another credential profile: auto or manual")
        .one_of({"auto", "manual"});
    app.flag("--wait-parked", turn.wait_parked, "sleep while the provider limits the rate");
    app.option("-t,--thread THREAD", turn.thread, "thread: main, a number or a branch");
    app.flag("--new-thread", turn.new_thread, "start a new thread");
    app.flag("--fresh", turn.fresh, "start with an empty window");
    app.flag("--ephemeral", turn.ephemeral,
             "keep nothing of the turn but its rows in the audit log and its cost");
    app.flag("--resume", turn.resume, "continue the thread's last turn");
    app.flag("--retry", turn.retry, "like --resume, but drop the answers since the last change");
    app.flag("--inbox", turn.inbox, "start a turn with the queued messages, if any");
    app.flag("--cancel-prompts", turn.cancel_prompts, "withdraw pending questions");
    app.option("--on-ask WHAT", options.on_ask,
               "if a question is not answered: suspend, deny or fail")
        .one_of({"suspend", "deny", "fail"});
    app.option("--permissions PROFILE|@FILE", options.permissions,
               "permission profile for this turn, by name or from FILE");
    app.option("-C,--directory DIR", turn.directory, "work in DIR instead of the workspace");
    app.option("--spawn PRESET", options.spawn.preset, "create a sub-agent of NAME, and run it");
    app.option("--allow-path GLOB", options.allowed_paths,
               "with --spawn: what it may read; may be repeated")
        .needs("--spawn");
    app.option("--deny-path GLOB", options.spawn.denied_paths,
               "with --spawn: what it may not read or write; may be repeated")
        .needs("--spawn");
    app.option("--subagent ID|PATH", options.sub_agent, "run this sub-agent of NAME");
    app.option("--idempotency-key KEY", turn.idempotency_key,
               "if a turn with KEY has finished, print its result again");
    app.option("--max-iterations,--max-turns N", turn.max_iterations,
               "maximum number of model calls")
        .from(1);
    app.option("--max-usd AMOUNT", options.max_usd, "maximum cost of the turn, in dollars");
    app.option("--timeout TIME", options.timeout, "end the turn after TIME");
    app.option("--ask-timeout TIME", options.ask_timeout,
               "time to answer a question at the terminal (default: 60s)");
    app.option("--wait[=TIME]", options.wait, "wait until the thread is free, at most TIME");
    app.flag("--queue", turn.queue, "hand the message to the turn running on the thread");
    app.option("--groom HOW", turn.groom, "automatic migration: auto, manual or pristine")
        .one_of(agent::groom_names());
    app.option("--meta KEY=VALUE", options.metadata,
               "keep KEY with the turn, and print it with the result; may be repeated");
    app.option("--actor NAME", turn.actor, "name of the person who asks, for the audit log");
    app.flag("--dry-run", options.dry_run, "print the request; send and record nothing");
}

void add_decision_options(cli::Command& app, Options& options) {
    app.option("--approve ID|all", options.approve, "approve a call and continue");
    app.option("--deny ID|all", options.deny, "deny a call and continue");
    app.option("--answer ID", options.answer, "answer a question with WORDS and continue");
    app.flag("--always", options.always, "with --approve: allow exactly this action from now on")
        .needs("--approve");
    app.flag("--even-if-changed", options.even_if_changed,
             "with --approve: also if files change before the call runs")
        .needs("--approve");
    app.option("--reason TEXT", options.reason, "with --deny: the reason given to the model")
        .needs("--deny");
}

void add_output_options(cli::Command& app, Options& options) {
    app.option("--output-format FORMAT", options.format, "output format: text, json or stream-json")
        .one_of({"text", "json", "stream-json"});
    app.flag("--json", options.json, "same as --output-format json");
    app.flag("--stream", options.output.stream, "print text as it arrives, also to a pipe");
    app.option("-o,--output FILE", options.output.file, "also write the output to FILE");
    app.option("--events WHICH", options.events,
               "events of stream-json: turn, or all with internal ones")
        .one_of({"turn", "all"});
    app.flag("--print-event-schema", options.print_event_schema,
             "print the JSON Schema of all output and exit");
    app.flag("-q,--quiet", options.quiet, "print only errors and pending questions on stderr");
    app.flag("-v,--verbose", options.verbose, "also print calls and their outcomes on stderr");
    app.option("--color WHEN", options.color, "when to use color: auto, always or never")
        .one_of({"auto", "always", "never"});
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    options.output.format = format_in(argc, argv);
    std::unique_ptr<cli::Output> output;
    return cli::run_main(
        argc, argv,
        {.name = program,
         .description = "Run one turn of an agent: send a prompt, print the answer.",
         .options =
             [&](cli::Command& app) {
                 add_prompt_options(app, options);
                 add_turn_options(app, options);
                 add_decision_options(app, options);
                 add_output_options(app, options);
                 return [&] { return run(options, output); };
             },
         .on_error =
             [&](const Error& error) {
                 if (!output) output = std::make_unique<cli::Output>(program, options.output);
                 // without a message of the user none can be accepted
                 output->fail(error, options.turn.agent,
                              options.turn.says_nothing() ? std::nullopt : std::optional(false));
                 return true;
             },
         .redact = place::redacted});
}
