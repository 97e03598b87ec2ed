#include "cli/conflicts.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace chorus::embedded {
extern const std::string_view cli_conflicts;
}

namespace chorus::cli {
namespace {

using Options = std::vector<CLI::Option*>;

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    for (const std::string_view word : base::split(text, ' '))
        if (!word.empty()) words.emplace_back(word);
    return words;
}

// nullptr: of another program.
CLI::App* find_command(CLI::App& app, const std::vector<std::string>& path) {
    if (path.front() != app.get_name()) return nullptr;
    return path.size() == 1 ? &app : app.get_subcommand(path[1]);
}

Options options_of(CLI::App& command, std::string_view text) {
    Options options;
    for (const std::string& name : words_of(text)) {
        options.push_back(command.get_option_no_throw(name));
        if (options.back() == nullptr)
            throw base::Error(base::ErrorCode::internal,
                              "conflicts: " + command.get_name() + " has no option " + name);
    }
    return options;
}

void apply(CLI::App& command, std::string_view text) {
    const std::size_t bar = text.find(" | ");
    const bool has_sides = bar != std::string_view::npos;
    const Options left = options_of(command, text.substr(0, bar));
    const Options right = has_sides ? options_of(command, text.substr(bar + 3)) : left;
    for (CLI::Option* one : left)
        for (CLI::Option* other : right)
            if (one != other) one->excludes(other);
}

}  // namespace

void refuse_conflicts(CLI::App& app) {
    for (const std::string_view line : base::split_lines(embedded::cli_conflicts)) {
        const std::size_t colon = line.find(" : ");
        if (line.starts_with('#') || colon == std::string_view::npos) continue;
        if (CLI::App* command = find_command(app, words_of(line.substr(0, colon))))
            apply(*command, line.substr(colon + 3));
    }
}

}  // namespace chorus::cli
