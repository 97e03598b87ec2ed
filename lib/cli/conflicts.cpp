#include "cli/conflicts.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
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

// CLI11 would compare each word with every name of every option.
class Command {
  public:
    explicit Command(CLI::App& app) : app_(app) {
        for (CLI::Option* option : app.get_options()) {
            for (const std::string& name : option->get_lnames()) options_["--" + name] = option;
            for (const std::string& name : option->get_snames()) options_["-" + name] = option;
            if (option->get_positional()) options_[option->get_name(true)] = option;
        }
    }

    void exclude(std::string_view text) const {
        const std::size_t bar = text.find(" | ");
        const bool has_sides = bar != std::string_view::npos;
        const Options left = options_of(text.substr(0, bar));
        const Options right = has_sides ? options_of(text.substr(bar + 3)) : left;
        for (CLI::Option* one : left)
            for (CLI::Option* other : right)
                if (one != other) one->excludes(other);
    }

  private:
    Options options_of(std::string_view text) const {
        Options options;
        for (const std::string& name : words_of(text)) {
            const auto found = options_.find(name);
            if (found == options_.end())
                throw base::Error(base::ErrorCode::internal,
                                  "conflicts: " + app_.get_name() + " has no option " + name);
            options.push_back(found->second);
        }
        return options;
    }

    CLI::App& app_;
    std::unordered_map<std::string, CLI::Option*> options_;
};

}  // namespace

void refuse_conflicts(CLI::App& app) {
    std::unordered_map<CLI::App*, Command> commands;
    for (const std::string_view line : base::split_lines(embedded::cli_conflicts)) {
        const std::size_t colon = line.find(" : ");
        if (!line.starts_with(app.get_name()) || colon == std::string_view::npos) continue;
        if (CLI::App* command = find_command(app, words_of(line.substr(0, colon))))
            commands.try_emplace(command, *command).first->second.exclude(line.substr(colon + 3));
    }
}

}  // namespace chorus::cli
