#include "sys/plants.hpp"

#include <algorithm>
#include <array>

#include "base/shell_quoted.hpp"
#include "base/text.hpp"

namespace chorus::sys {
namespace {

// Settings files that other tools read in a directory, and that can start programs.
constexpr std::array<std::string_view, 9> all_settings{".mcp.json",
                                                       ".envrc",
                                                       ".gitmodules",
                                                       ".claude/settings.json",
                                                       ".claude/settings.local.json",
                                                       ".hg/hgrc",
                                                       ".hg/hgrc-not-shared",
                                                       ".jj/repo/config.toml",
                                                       ".jj/workspace-config.toml"};

constexpr std::size_t most_told = 10;
constexpr std::size_t most_told_bytes = 200;
constexpr std::size_t most_of_a_path = 5;
constexpr std::size_t most_recorded_bytes = 1024 * 1024;

// The end of a long path names what is obeyed.
std::string without_middle(const std::string& text) {
    if (text.size() <= most_told_bytes) return text;
    constexpr std::size_t half = most_told_bytes / 2;
    return std::string(base::utf8_prefix(text, half)) + "…" +
           std::string(base::utf8_suffix(text, half));
}

}  // namespace

std::span<const std::string_view> Plants::settings_files() {
    return all_settings;
}

bool Plants::is_settings_file(std::string_view path) {
    return std::find(all_settings.begin(), all_settings.end(), path) != all_settings.end();
}

PlantReport Plants::report_since(const Plants& before) const {
    std::vector<std::pair<std::string, std::vector<std::string>>> paths;
    for (const Plant* plant : new_since(before)) {
        if (paths.empty() || paths.back().first != plant->path)
            paths.emplace_back(plant->path, std::vector<std::string>());
        paths.back().second.push_back(base::visible(plant->what, base::Newlines::escape));
    }
    if (paths.empty()) return {};
    std::vector<std::string> all;
    std::vector<std::string> shown;
    std::size_t recorded = 0;
    std::size_t bytes = 0;
    for (const auto& [path, changes] : paths) {
        all.push_back(base::shell_quoted(base::visible(path, base::Newlines::escape)) + ": " +
                      base::first_few(changes, most_of_a_path));
        shown.push_back(without_middle(all.back()));
        if ((bytes += all.back().size()) <= most_recorded_bytes) ++recorded;
    }
    const std::string what = "files changed that programs outside the sandbox obey: ";
    return {what + base::first_few(shown, most_told), what + base::first_few(all, recorded)};
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

std::vector<const Plant*> Plants::new_since(const Plants& before) const {
    std::vector<const Plant*> found;
    for (const Plant& plant : all_)
        if (before.all_.count(plant) == 0) found.push_back(&plant);
    const auto depth = [](const Plant* plant) {
        return std::count(plant->path.begin(), plant->path.end(), '/');
    };
    std::stable_sort(found.begin(), found.end(),
                     [&](const Plant* a, const Plant* b) { return depth(a) < depth(b); });
    return found;
}

std::vector<std::string> Plants::since(const Plants& before) const {
    std::vector<std::string> changes;
    for (const Plant* plant : new_since(before))
        changes.push_back(plant->path + ": " + plant->what);
    return changes;
}

}  // namespace chorus::sys
