#include "sys/plants.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace chorus::sys {
namespace {

// Settings files that other tools read in a directory, and that can start programs.
constexpr std::array<std::string_view, 7> all_settings{".mcp.json",
                                                       ".envrc",
                                                       ".gitmodules",
                                                       ".claude/settings.json",
                                                       ".claude/settings.local.json",
                                                       ".hg/hgrc",
                                                       ".jj/repo/config.toml"};

constexpr std::size_t most_told = 10;
constexpr std::size_t most_told_bytes = 200;

}  // namespace

std::span<const std::string_view> Plants::settings_files() {
    return all_settings;
}

bool Plants::is_settings_file(std::string_view path) {
    return std::find(all_settings.begin(), all_settings.end(), path) != all_settings.end();
}

std::string Plants::told(const std::vector<std::string>& lines) {
    if (lines.empty()) return {};
    std::vector<std::string> shown;
    for (const std::string& line : lines)
        shown.emplace_back(
            base::utf8_prefix(base::visible(line, base::Newlines::escape), most_told_bytes));
    return "files changed that programs outside the sandbox obey: " +
           base::first_few(shown, most_told);
}

std::string Plants::text() const {
    std::string text;
    for (const Plant& plant : all_)
        for (const std::string* part : {&plant.path, &plant.what, &plant.mark})
            text.append(*part).push_back('\0');
    return text;
}

Plants Plants::parse(std::string_view text) {
    const auto parts = base::split(text, '\0');
    Plants plants;
    for (std::size_t i = 0; i + 2 < parts.size(); i += 3)
        plants.all_.insert(
            {std::string(parts[i]), std::string(parts[i + 1]), std::string(parts[i + 2])});
    return plants;
}

std::vector<std::string> Plants::since(const Plants& before) const {
    std::vector<std::string> lines;
    for (const Plant& plant : all_)
        if (before.all_.count(plant) == 0) lines.push_back(plant.path + ": " + plant.what);
    return lines;
}

}  // namespace chorus::sys
