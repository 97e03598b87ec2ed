#include "policy/presets.hpp"

#include <algorithm>
#include <array>

namespace chorus::policy {
namespace {

constexpr std::array open_allow{PresetRule{R"(tool:[\s\S]*)"}};

// `standard` is the first seven; `sandboxed` is all of them.
constexpr std::array sandboxed_allow{
    PresetRule{"tool:(create_file|append_file|str_replace|view|list_files|search_files):.*"},
    PresetRule{"tool:git:(init|commit|status|diff.*|log.*|branch .*)"},
    PresetRule{"tool:artifact:.*"},
    PresetRule{"tool:ask_user:"},
    PresetRule{"tool:task:.*"},
    PresetRule{"tool:load_skill:.*"},
    PresetRule{"tool:list_agents:"},
    PresetRule{R"(tool:bash:[\s\S]*)", true},
    PresetRule{"tool:self_edit:docs:notes/.*"},
};
constexpr std::span<const PresetRule> standard_allow{sandboxed_allow.data(), 7};

constexpr std::array standard_ask{
    PresetRule{R"(tool:bash:[\s\S]*)"},    PresetRule{"tool:git:(push|merge_request|checkout) .*"},
    PresetRule{"tool:self_edit:.*"},       PresetRule{R"(tool:spawn_agent:[\s\S]*)"},
    PresetRule{R"(tool:mcp:[\s\S]*)"},     PresetRule{"tool:send_to_agent:.*"},
    PresetRule{"tool:read_agent_docs:.*"},
};

constexpr std::array locked_allow{PresetRule{"tool:(view|list_files|search_files):.*"}};

constexpr std::array all{
    Preset{"open", open_allow, {}},
    Preset{"sandboxed", sandboxed_allow, standard_ask},
    Preset{"standard", standard_allow, standard_ask},
    Preset{"locked", locked_allow, {}},
};

}  // namespace

std::span<const Preset> presets() {
    return all;
}

const Preset* find_preset(std::string_view name) {
    const auto* found =
        std::find_if(all.begin(), all.end(), [&](const Preset& one) { return one.name == name; });
    return found == all.end() ? nullptr : found;
}

}  // namespace chorus::policy
