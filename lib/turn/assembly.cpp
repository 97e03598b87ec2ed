#include <algorithm>

#include "context/prompt.hpp"
#include "context/window.hpp"
#include "life/trust.hpp"
#include "policy/strictest.hpp"
#include "store/messages.hpp"
#include "sys/clock.hpp"
#include "turn/live.hpp"

namespace chorus::turn {

Loaded load(Place& place, const TurnOptions& options, const Surroundings& surroundings) {
    Loaded loaded;
    InForce in_force =
        configuration_in_force(place.store, place.agent, place.directory, place.home_configuration);
    loaded.configuration = in_force.configuration;
    loaded.settings = resolve_settings(options, surroundings.environment, loaded.configuration,
                                       place.home_configuration, surroundings.home);
    loaded.rights = rights_of(in_force, place.home_configuration, loaded.settings.sandbox);
    loaded.untrusted = std::move(in_force.untrusted);
    loaded.file = std::move(in_force.file);
    loaded.part = std::move(in_force.part);
    return loaded;
}

bool is_current(Place& place, const Loaded& loaded) {
    return agent::configuration_text(place.directory) == loaded.file &&
           life::trusted_part(place.store, place.agent.id) == loaded.part;
}

WindowFrame frame_for(const Place& place, const Settings& settings, bool fresh, base::TimeMs now) {
    WindowFrame frame;
    frame.after_time = now - settings.rolling_window_ms;
    frame.after_message = place.agent.last_clear_message;
    if (fresh) return frame;
    frame.after_message = std::max(frame.after_message, place.thread.window_start - 1);
    return frame;
}

AssembledWindow assemble_window(Place& place, const Settings& settings, const WindowFrame& frame,
                                std::int64_t open_turn) {
    // a cut of this very turn holds on: made anew each time, it would move with every message
    const std::int64_t after_message = std::max(frame.after_message, place.thread.window_start - 1);
    auto loaded = store::load_window(place.store, place.agent.id, place.thread.id,
                                     {after_message, frame.after_time, open_turn});
    context::Window window = context::cut_window(
        std::move(loaded), {settings.max_messages, settings.token_budget, open_turn});
    AssembledWindow assembled{std::move(window.messages), window.start != place.thread.window_start,
                              std::move(window.dropped)};
    if (window.start != 0) place.thread.window_start = window.start;
    return assembled;
}

std::vector<chat::ToolDefinition> visible_tools(const std::vector<policy::Profile>& profiles) {
    std::vector<chat::ToolDefinition> definitions;
    for (const tools::Tool& tool : tools::registry())
        if (!policy::any_hides(profiles, "tool:" + std::string(tool.family) + ":"))
            definitions.push_back(tools::definition(tool));
    return definitions;
}

void write_opening(const Place& place, const Loaded& loaded, chat::Request& request) {
    request.model = model::parse_model_name(loaded.settings.model).name;
    request.system = context::system_text(loaded.configuration.system_prompt, place.directory);
    request.tools = visible_tools(loaded.rights.profiles);
    request.max_output_tokens = loaded.settings.max_output_tokens;
}

std::optional<chat::Message> project_message(const Place& place) {
    auto text = context::project_text(place.root);
    if (!text) return std::nullopt;
    chat::Message message;
    message.content = std::move(*text);
    return message;
}

}  // namespace chorus::turn
