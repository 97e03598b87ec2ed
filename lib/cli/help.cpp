#include "cli/help.hpp"

#include <CLI/CLI.hpp>

#include "base/text.hpp"

namespace chorus::cli {
namespace {

constexpr std::size_t about_column = 30;

// "N", "[=TIME]", "auto|always|never".
std::string value_of(const Option& option) {
    if (!option.type().empty()) return std::string(option.type());
    if (!option.values().empty()) return base::join(option.values(), "|");
    return option.takes() == Takes::value ? "TEXT" : "";
}

std::string usage(const Command& command, bool has_verbs) {
    std::string line = command.path();
    if (has_verbs) return line + " VERB [OPTIONS] ...";
    line += " [OPTIONS]";
    for (const Option& option : command.options()) {
        if (!option.is_word()) continue;
        const std::string name = std::string(option.name()) + (option.takes_many() ? "..." : "");
        line += option.is_required() ? " " + name : " [" + name + "]";
    }
    return line;
}

// CLI11's layout, without the types, ranges and defaults that it derives.
class Layout : public CLI::Formatter {
  public:
    explicit Layout(std::string usage) : usage_(std::move(usage)) {
        this->column_width(about_column);
        label("Positionals", "Arguments");
    }
    std::string make_usage(const CLI::App* app, std::string) const override {
        return "usage: " + usage_ + "\n\n" + app->get_description() + "\n";
    }
    std::string make_description(const CLI::App*) const override { return {}; }
    std::string make_option_opts(const CLI::Option* option) const override {
        const std::string value = option->get_type_name();
        if (value.empty() || option->get_positional()) return {};
        return value.front() == '[' ? value : " " + value;
    }

  private:
    std::string usage_;
};

}  // namespace

std::string help(const Command& command, std::span<const Verb> verbs) {
    CLI::App app{std::string(command.about()), command.path()};
    app.set_help_flag();
    app.formatter(std::make_shared<Layout>(usage(command, !verbs.empty())));
    std::string ignored;
    for (const Option& option : command.options())
        app.add_option(std::string(option.all_names()), ignored, std::string(option.about()))
            ->type_name(value_of(option));
    for (const Verb& verb : verbs)
        if (!verb.is_hidden)
            app.add_subcommand(std::string(verb.name), std::string(verb.about))->group("Verbs");
    return app.help();
}

}  // namespace chorus::cli
