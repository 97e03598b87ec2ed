// The four presets of chorus-permissions(7), section PRESETS.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/profile.hpp"

namespace chorus::policy {

struct Preset {
    std::string name;
    std::vector<Rule> allow = {};
    std::vector<Rule> ask = {};
};

// From the widest to the strictest.
const std::vector<Preset>& presets();
const Preset* find_preset(std::string_view name);

}  // namespace chorus::policy
