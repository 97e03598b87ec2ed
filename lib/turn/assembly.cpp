#include <algorithm>

#include "context/prompt.hpp"
#include "context/window.hpp"
#include "store/messages.hpp"
#include "sys/clock.hpp"
#include "turn/live.hpp"

namespace chorus::turn {

Loaded load(const Place& place, const TurnOptions& options, const Surroundings& surroundings) {
    Loaded loaded;
    loaded.configuration = agent::load_configuration(place.directory);
    loaded.settings = resolve_settings(options, surroundings.environment, loaded.configuration,
                                       place.home_configuration, surroundings.home);
    loaded.profile =
        agent::resolve_profile(loaded.configuration.permissions, place.home_configuration,
                               place.directory.configuration());
    return loaded;
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
    auto loaded = store::load_window(place.store, place.agent.id, place.thread.id,
                                     {frame.after_message, frame.after_time, open_turn});
    context::Window window = context::cut_window(
        std::move(loaded), {settings.max_messages, settings.token_budget, open_turn});
    AssembledWindow assembled{std::move(window.messages),
                              window.start != place.thread.window_start};
    if (window.start != 0) place.thread.window_start = window.start;
    return assembled;
}

std::vector<chat::ToolDefinition> visible_tools(const policy::Profile& profile) {
    std::vector<chat::ToolDefinition> definitions;
    for (const tools::Tool& tool : tools::registry())
        if (!profile.hides("tool:" + std::string(tool.family) + ":"))
            definitions.push_back(tools::definition(tool));
    return definitions;
}

void write_opening(const Place& place, const Loaded& loaded, chat::Request& request) {
    request.model = model::parse_model_name(loaded.settings.model).name;
    request.system = context::system_text(loaded.configuration.system_prompt, place.directory);
    request.tools = visible_tools(*loaded.profile);
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
