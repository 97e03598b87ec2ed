#include "cli/empty.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace chorus::cli {
namespace {

bool knows(const CLI::App& app, const std::string& name) {
    for (const CLI::Option* option : app.get_options())
        if (option->check_lname(name)) return true;
    const auto verbs = app.get_subcommands([](const CLI::App*) { return true; });
    return std::any_of(verbs.begin(), verbs.end(),
                       [&](const CLI::App* verb) { return knows(*verb, name); });
}

}  // namespace

void refuse_empty_values(CLI::App& app, const std::vector<std::string_view>& except) {
    const CLI::Validator not_empty(
        [](const std::string& value) { return value.empty() ? "is empty" : std::string(); }, "");
    for (CLI::Option* option : app.get_options([](CLI::Option*) { return true; })) {
        const bool is_value =
            std::find(except.begin(), except.end(), option->get_name()) != except.end();
        if (option->get_items_expected_max() > 0 && !is_value) option->check(not_empty);
    }
    for (CLI::App* verb : app.get_subcommands([](CLI::App*) { return true; }))
        refuse_empty_values(*verb, except);
}

std::string find_empty_word(const CLI::App& app, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        if (word == "--") break;
        if (word.starts_with("--") && word.find('=') == word.size() - 1 &&
            knows(app, word.substr(2, word.size() - 3)))
            return word;
    }
    return {};
}

}  // namespace chorus::cli
