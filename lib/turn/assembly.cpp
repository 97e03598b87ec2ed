#include <algorithm>

#include "agent/preset.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "context/prompt_texts.hpp"
#include "context/status_block.hpp"
#include "context/window.hpp"
#include "policy/profile.hpp"
#include "store/messages.hpp"
#include "store/prompts.hpp"
#include "turn/attaching.hpp"
#include "turn/live.hpp"

namespace chorus::turn {
namespace {

std::int64_t opening_tokens(const place::Place& place, const chat::Request& opening) {
    const auto project = project_message(place);
    return context::estimated_opening(opening) +
           (project ? context::estimated_tokens(*project) : 0);
}

std::int64_t room_beside(place::Place& place, const place::Loaded& loaded,
                         const chat::Request& request, const std::vector<chat::Message>& messages) {
    std::int64_t budget = loaded.settings.token_budget;
    if (budget == 0) return 0;
    const std::int64_t opening = opening_tokens(place, request);
    const bool may_be_corrected =
        opening + context::estimated_tokens(messages) > budget / context::most_correction;
    const auto turn = may_be_corrected
                          ? store::newest_counted_turn(place.store, place.agent.id, place.thread.id)
                          : std::nullopt;
    if (turn && turn->model == loaded.settings.model)
        budget =
            context::in_estimated_tokens(budget, turn->usage.input_tokens,
                                         context::estimated_input(messages, turn->id, opening));
    return std::max<std::int64_t>(budget - opening, 1);
}

bool have_grown(const store::CutLimits& before, const store::CutLimits& now) {
    const auto grew = [](std::int64_t then, std::int64_t limit) {
        return then != 0 && (limit == 0 || limit > then);
    };
    return now.rolling_window_ms > before.rolling_window_ms ||
           grew(before.max_messages, now.max_messages) ||
           grew(before.token_budget, now.token_budget);
}

}  // namespace

WindowFrame frame_for(const place::Place& place, const place::Settings& settings,
                      base::TimeMs now) {
    return {now - settings.rolling_window_ms, place.agent.last_clear_message};
}

std::int64_t room_for_messages(place::Place& place, const place::Loaded& loaded,
                               const std::vector<chat::Message>& messages) {
    if (loaded.settings.token_budget == 0) return 0;
    chat::Request opening;
    write_opening(place, loaded, opening);
    return room_beside(place, loaded, opening, messages);
}

bool exceeds_limits(place::Place& place, const place::Loaded& loaded,
                    const chat::Request& request) {
    const std::vector<chat::Message>& messages = request.messages;
    const std::int64_t most = loaded.settings.max_messages;
    if (most > 0 && static_cast<std::int64_t>(messages.size()) > most) return true;
    return loaded.settings.token_budget > 0 &&
           context::estimated_tokens(messages) > room_beside(place, loaded, request, messages);
}

AssembledWindow assemble_window(place::Place& place, const place::Loaded& loaded,
                                const WindowFrame& frame, std::int64_t open_turn) {
    const store::Thread& thread = place.thread;
    if (frame.is_fresh) return {store::load_turn_messages(place.store, open_turn), thread};
    store::WindowBounds bounds = store::bounds_of(place.agent, thread, frame.after_time, open_turn);
    bounds.after_message = frame.after_message;
    const auto load_from = [&](std::int64_t cut) {
        bounds.cut = cut;
        return store::load_window(place.store, place.agent.id, thread.id, bounds);
    };
    // a cut made by this turn is kept: if it were made each time, it would move with every message
    auto messages = load_from(bounds.cut);
    const context::WindowLimits limits{loaded.settings.max_messages,
                                       room_for_messages(place, loaded, messages), open_turn};
    context::Window window = context::cut_window(std::move(messages), limits);
    const store::CutLimits now{loaded.settings.rolling_window_ms, loaded.settings.max_messages,
                               loaded.settings.token_budget};
    const bool grew =
        have_grown(thread.cut_limits, now) && thread.window_floor < thread.window_start;
    if (grew) {
        context::Window wider = context::cut_window(load_from(thread.window_floor), limits);
        const bool holds_more =
            wider.start != 0 && (window.start == 0 || wider.start < window.start);
        // what it drops was left out before
        if (holds_more) window = {std::move(wider.messages), wider.start, 0, {}};
    }
    AssembledWindow assembled{.messages = std::move(window.messages),
                              .thread = thread,
                              .cut_moved = window.start != thread.window_start,
                              .limits_grew = grew,
                              .dropped = std::move(window.dropped)};
    if (window.start != 0) assembled.thread.window_start = window.start;
    assembled.thread.cut_limits = now;
    return assembled;
}

// The presets are files, which anybody may add.
std::string presets_text(const agent::Home& home) {
    const std::vector<std::string> names = agent::preset_names(home);
    return names.empty() ? "" : "Presets: " + base::join(names, ", ") + ".\n";
}

std::vector<chat::ToolDefinition> visible_tools(const std::vector<policy::Profile>& profiles,
                                                const agent::Home& home) {
    std::vector<chat::ToolDefinition> definitions;
    for (const tools::Tool& tool : tools::registry()) {
        if (policy::any_hides(profiles, tools::action_prefix(tool))) continue;
        definitions.push_back(tools::definition(tool));
        if (tool.kind == tools::Class::agent) definitions.back().description += presets_text(home);
    }
    return definitions;
}

void write_opening(const place::Place& place, const place::Loaded& loaded, chat::Request& request) {
    request.model = model::parse_model_name(loaded.settings.asked_model).name;
    request.system = loaded.configuration.system_prompt;
    request.documents = place.redaction.apply(context::documents_text(place.directory));
    if (request.tools.empty())
        request.tools = visible_tools(loaded.rights.profiles, place.surroundings.home);
    request.max_output_tokens = loaded.settings.max_output_tokens;
    request.effort = loaded.settings.effort;
    request.temperature = loaded.settings.temperature;
    request.answer_schema = place.options.json_schema;
}

store::Prefix prefix_of(const place::Loaded& loaded, const chat::Request& request,
                        const std::string& project) {
    std::string tools;
    for (const chat::ToolDefinition& tool : request.tools)
        tools += tool.name + '\0' + tool.description + '\0' + tool.schema + '\0';
    store::Prefix prefix;
    if (!request.messages.empty()) {
        prefix.message_id = request.messages.back().id;
        // a summary is newer than the first message that follows it
        const auto first =
            std::find_if(request.messages.begin(), request.messages.end() - 1,
                         [](const chat::Message& message) { return !message.is_compaction; });
        prefix.window_start = first->id;
    }
    prefix.model = loaded.settings.model;
    prefix.prompt = base::fnv1a_hex(loaded.configuration.system_prompt);
    prefix.docs = base::fnv1a_hex(request.documents);
    prefix.project = base::fnv1a_hex(project);
    prefix.tools = base::fnv1a_hex(tools);
    return prefix;
}

chat::Message user_message(place::Place& place, const std::string& text,
                           std::vector<store::Task> tasks) {
    const store::ReadTransaction all_at_once(place.store);
    auto told = store::tasks_ended_since_turn(place.store, place.agent.id, place.thread.id);
    std::move(tasks.begin(), tasks.end(), std::back_inserter(told));
    chat::Message message;
    message.content = text;
    message.attachments = attachments_given(place);
    message.status = place.redaction.apply(
        context::status_block(place.options.stands_in,
                              context::other_threads(place.store, place.agent.id, place.thread.id),
                              store::pending_prompts(place.store, place.agent.id), told));
    if (!place.options.json_schema.empty())
        message.status += (message.status.empty() ? "" : "\n\n") +
                          ("Your final answer to the message below, after all calls of tools, is "
                           "one JSON value that is valid against this JSON Schema. Write the JSON "
                           "alone: no other words, no code fence.\n" +
                           place.options.json_schema);
    return message;
}

std::optional<chat::Message> project_message(const place::Place& place) {
    const auto text = context::project_text(place.root).text;
    if (!text) return std::nullopt;
    chat::Message message;
    message.content = place.redaction.apply(*text);
    return message;
}

}  // namespace chorus::turn
