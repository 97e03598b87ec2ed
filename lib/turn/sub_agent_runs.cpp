#include "turn/sub_agent_runs.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "chat/event.hpp"
#include "chat/json.hpp"
#include "place/spawning.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"

namespace chorus::turn {
namespace {

using base::ExitStatus;
using chat::Json;

constexpr std::size_t most_answer_bytes = 64U << 20;
constexpr std::int64_t end_ms = 5'000;  // for a process that has been told to end

// A sub-agent inherits no choice of a model, and its prompt is all of stdin.
constexpr std::array not_inherited{"CHORUS_AGENT", "CHORUS_MODEL", "CHORUS_STDIN"};

sys::Environment environment_for_sub_agent(const sys::Environment& own, const agent::Home& home) {
    std::map<std::string, std::string> values = own.all();
    for (const char* name : not_inherited) values.erase(name);
    values["CHORUS_HOME"] = home.path();
    return sys::Environment(std::move(values));
}

std::string key_of(store::TurnId turn, const std::string& call_id) {
    // an id is the model's text
    return "spawn-" + base::sha256_hex(std::to_string(turn) + " " + call_id);
}

chat::ToolResult failed(std::string text) {
    return {std::move(text), true};
}

// "Waits for a person" names the questions and how to decide them.
std::string pending_text(const std::string& sub_agent, const Json& result) {
    std::string text = "Error: The sub-agent waits for a person";
    for (const Json& prompt : chat::member(result, "pending")) {
        const std::string id = chat::string_or(prompt, "id");
        const bool is_question =
            chat::string_or(prompt, "kind") == chat::prompt_kinds.name(chat::PromptKind::question);
        text += "\n" + id + ": " + chat::string_or(prompt, is_question ? "text" : "action") +
                "\nchorus-run " + sub_agent +
                (is_question ? " --answer " + id + " TEXT" : " --approve " + id) + " continues it";
    }
    return text;
}

const char* headline_of(ExitStatus status, const sys::Finished& finished) {
    if (finished.stopped || finished.signal != 0) return "Error: User aborted agent";
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

// The result that the parent's call gets, of a process that has ended.
chat::ToolResult outcome_of(const std::string& sub_agent, const sys::Finished& finished) {
    Json result = Json::object();
    if (!finished.out.text.empty() && finished.out.total_bytes == finished.out.text.size())
        result =
            chat::try_parse_json(finished.out.text, most_answer_bytes).value_or(Json::object());
    const auto status = static_cast<ExitStatus>(finished.exit_code);
    if (finished.exit_code == 0 && result.contains("text")) {
        std::string text(base::trim_end(chat::string_or(result, "text")));
        return {text.empty() ? "[the sub-agent's answer is empty]" : std::move(text), false};
    }
    if (status == ExitStatus::input_required) return failed(pending_text(sub_agent, result));
    std::string detail = base::visible(base::trim(finished.err.text));
    if (const Json& error = chat::member(result, "error"); error.is_object()) {
        const std::string category = chat::string_or(error, "category");
        detail = (category.empty() ? "" : category + ": ") + chat::string_or(error, "message");
    }
    if (const std::string said = chat::string_or(result, "text"); !said.empty())
        detail += "\nIt had said:\n" + said;
    return failed(headline_of(status, finished) + (detail.empty() ? "" : "\n" + detail));
}

}  // namespace

tools::SubAgents sub_agents_of(place::Place& place, const place::Loaded& loaded,
                               const store::Turn& turn, const place::Shutdown& shutdown) {
    const auto create = [&place, &loaded, &turn](const tools::SpawnRequest& request) {
        if (const auto known = store::find_child_of_call(place.store, turn.id, request.call_id))
            return known->dir;
        const bool is_elsewhere = place.root.path() != sys::real_path(place.directory.workspace());
        const life::SpawnOptions wanted{
            .preset = request.preset,
            .description = place.redaction.apply(request.description),
            .allowed_paths = request.allowed_paths,
            .denied_paths = request.denied_paths,
            .place = is_elsewhere ? place.root.path() : "",
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
    const auto run = [&place, &turn, &shutdown](const std::string& dir, const std::string& call_id,
                                                const std::string& prompt) {
        const std::string name = dir.substr(dir.rfind('/') + 1);
        sys::ProcessCommand command{
            .arguments = {sys::program_beside("chorus-run"), dir, "--stdin", "inline", "--json",
                          "--wait", "--idempotency-key", key_of(turn.id, call_id)},
            .input = prompt};
        const std::int64_t left_ms =
            place.options.deadline_ms == 0 ? 0 : place.options.deadline_ms - sys::monotonic_ms();
        if (place.options.deadline_ms != 0)
            command.arguments.insert(
                command.arguments.end(),
                {"--timeout", std::to_string(std::max<std::int64_t>(left_ms, 1)) + "ms"});
        environment_for_sub_agent(place.surroundings.environment, place.surroundings.home)
            .pass_to(command);
        const place::ShutdownTimeouts timeouts =
            place::shutdown_timeouts(place.surroundings.environment);
        const sys::Finished finished = sys::run(
            command, {.output_bytes = most_answer_bytes,
                      .stop = [&shutdown] { return shutdown.requested(); },
                      .stop_fd = place.surroundings.interrupt.fd(),
                      .stop_grace_ms =
                          [timeouts] { return timeouts.drain_ms + timeouts.grace_ms + end_ms; }});
        return outcome_of(name, finished);
    };
    return {create, run};
}

}  // namespace chorus::turn
