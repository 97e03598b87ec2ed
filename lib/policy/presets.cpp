#include "policy/presets.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "policy/starters.hpp"

namespace chorus::embedded {
extern const std::string_view policy_presets;
}

namespace chorus::policy {
namespace {

std::vector<Preset> read_presets() {
    std::vector<Preset> all{{"open"}, {"sandboxed"}, {"standard"}, {"locked"}};
    for (const std::string_view line : base::split_lines(embedded::policy_presets)) {
        if (line.empty() || line.front() == '#') continue;
        const std::size_t colon = line.find(" : ");
        const std::string_view head = line.substr(0, colon);
        const Rule rule{std::string(line.substr(colon + 3)), false, head.starts_with("confined")};
        for (Preset& one : all)
            if (is_listed(one.name, head))
                (head.starts_with("ask") ? one.ask : one.allow).push_back(rule);
    }
    return all;
}

}  // namespace

const std::vector<Preset>& presets() {
    static const std::vector<Preset> all = read_presets();
    return all;
}

const Preset* find_preset(std::string_view name) {
    const auto& all = presets();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Preset& one) { return one.name == name; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace chorus::policy
