#include "sys/git_files.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "sys/git_config.hpp"
#include "sys/git_index.hpp"

namespace chorus::sys {
namespace {

// Whether a rebase that continues with these steps runs a command.
bool has_exec_step(std::string_view steps) {
    for (const std::string_view line : base::split_lines(steps)) {
        const std::string_view step = base::trim(line);
        const std::string_view word = step.substr(0, step.find_first_of(" \t"));
        if (word == "exec" || word == "x") return true;
    }
    return false;
}

// For other names git runs git-merge-NAME from PATH, or from a path where NAME has a slash.
bool is_foreign_strategy(std::string_view name) {
    constexpr std::array own{"ort", "recursive", "resolve", "octopus", "ours", "subtree"};
    return std::find(own.begin(), own.end(), base::trim(name)) == own.end();
}

bool has_foreign_strategy(std::string_view options) {
    const auto names = git_values(options, "options", "strategy");
    return std::any_of(names.begin(), names.end(), is_foreign_strategy);
}

// Options of git-apply, of which --build-fake-ancestor=FILE writes anywhere. The file usually holds
// only a newline.
bool has_options(std::string_view options) {
    return !base::trim(options).empty();
}

}  // namespace

const OperationFile operation_files[4] = {
    {"rebase-merge/git-rebase-todo", "a step that runs a command", has_exec_step},
    {"rebase-merge/strategy", "a merge strategy that is a program", is_foreign_strategy},
    {"rebase-apply/apply-opt", "options of git apply", has_options},
    {"sequencer/opts", "a merge strategy that is a program", has_foreign_strategy}};

std::vector<std::string_view> rerere_paths(std::string_view conflicts) {
    std::vector<std::string_view> paths;
    for (const std::string_view line : base::split(conflicts, '\0'))
        if (!line.empty()) paths.push_back(line.substr(line.find('\t') + 1));
    return paths;
}

std::optional<std::string> odd_reference(std::string_view text) {
    constexpr std::string_view prefix = "ref:";
    if (!text.starts_with(prefix)) return std::nullopt;
    const bool is_long = text.size() >= reference_bytes;
    text = base::trim(text.substr(prefix.size(), text.find('\0') - prefix.size()));
    if (!is_long && text.starts_with("refs/") && is_plain_git_path(text)) return std::nullopt;
    return std::string(text);
}

}  // namespace chorus::sys
