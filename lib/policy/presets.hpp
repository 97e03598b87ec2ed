// The four presets of chorus-permissions(7), section PRESETS, as data.
#pragma once

#include <span>
#include <string_view>

namespace chorus::policy {

struct PresetRule {
    std::string_view pattern;
    bool while_confined = false;  // in force only while bash runs in the sandbox without network
};

struct Preset {
    std::string_view name;
    std::span<const PresetRule> allow;
    std::span<const PresetRule> ask;
};

// From the widest to the strictest.
std::span<const Preset> presets();
const Preset* find_preset(std::string_view name);

}  // namespace chorus::policy
