#include "cli/parse.hpp"

#include <algorithm>

#include "base/nearest.hpp"
#include "base/shell_quoted.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "cli/conflicts.hpp"

namespace chorus::cli {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::string_view blanks = " \t\r\n\v\f";

Error usage(const std::string& why, const std::string& hint = {}) {
    return {ErrorCode::bad_request, "usage: " + why, hint};
}

std::string help_of(const Command& command) {
    return "see " + command.path() + " --help";
}

Error unknown_option(const Command& command, std::string_view typed) {
    std::vector<std::string> names;
    for (const Option& option : command.options())
        for (const std::string_view name : option.names())
            if (!option.is_word() && name.size() > 2) names.emplace_back(name);
    const auto near = base::nearest(typed, names, 1);
    return usage(
        "there is no option " + base::quoted(typed),
        near.empty() ? help_of(command) : "did you mean " + near.front() + "? " + help_of(command));
}

bool is_option(const Command& command, const std::string& argument) {
    if (argument.size() < 2 || argument.front() != '-' || argument == "--") return false;
    const std::size_t blank = argument.find_first_of(blanks);
    if (blank == std::string::npos) return true;
    const std::size_t equals = argument.find('=');
    return equals < blank && command.find(std::string_view(argument).substr(0, equals)) != nullptr;
}

Given read_long(const Command& command, const std::string& argument) {
    const std::size_t equals = argument.find('=');
    Given given;
    given.typed = argument.substr(0, equals);
    given.option = command.find(given.typed);
    if (given.option == nullptr) given.problem = unknown_option(command, given.typed);
    if (given.option == nullptr || equals == std::string::npos) return given;
    given.value_at = equals + 1;
    given.value = argument.substr(given.value_at);
    if (given.option->takes() == Takes::nothing)
        given.problem = usage(given.typed + " takes no value", help_of(command));
    return given;
}

std::vector<Given> read_short(const Command& command, const std::string& argument) {
    std::vector<Given> all;
    for (std::size_t at = 1; at < argument.size(); ++at) {
        Given& given = all.emplace_back();
        given.typed = std::string("-") + argument[at];
        given.option = command.find(given.typed);
        if (given.option == nullptr) {
            given.problem = unknown_option(command, argument.size() == 2 ? given.typed : argument);
            break;
        }
        if (given.option->takes() != Takes::value || at + 1 == argument.size()) continue;
        given.value_at = at + 1;
        given.value = argument.substr(given.value_at);
        if (given.value->front() == '=')
            given.problem = usage(base::quoted(argument) + ": give the value of " + given.typed +
                                      " after a blank, without '='",
                                  given.typed + " " +
                                      (given.value->size() == 1
                                           ? std::string(given.option->type())
                                           : base::shell_quoted(given.value->substr(1))));
        break;
    }
    return all;
}

class Line {
  public:
    Line(const Command& command, const std::vector<std::string>& arguments)
        : command_(command), arguments_(arguments) {
        for (const Option& option : command.options())
            if (option.is_word()) words_to_come_.push_back(&option);
    }

    Wanted read() {
        Wanted wanted = Wanted::run;
        for (at_ = 0; at_ < arguments_.size(); ++at_) {
            const std::string& argument = arguments_[at_];
            if (!only_words_ && argument == "--")
                only_words_ = true;
            else if (!only_words_ && is_option(command_, argument))
                take_options(argument);
            else {
                if (!only_words_) refuse_two_readings(argument);
                take_word(argument);
            }
            if (options_.empty() || wanted != Wanted::run) continue;
            if (options_.back().option->has_name(help_option)) wanted = Wanted::help;
            if (options_.back().option->has_name(version_option)) wanted = Wanted::version;
            // after a word of a text more words may follow, which makes --help an error
            if (wanted != Wanted::run && many_ == 0) return wanted;
        }
        return wanted;
    }

    void check_values() const {
        const auto check = [&](const Option& option, std::string_view typed,
                               const std::string& text) {
            if (const std::string problem = option.problem_of(text); !problem.empty())
                throw usage(std::string(typed) + ": " + problem, help_of(command_));
        };
        for (const Word& word : words_) check(*word.option, word.option->name(), word.text);
        for (const Given& given : options_)
            if (given.value) check(*given.option, given.typed, *given.value);
    }

    void check_together() const {
        const std::vector<const Option*> all = given();
        const auto has = [&](const Option* option) {
            return std::find(all.begin(), all.end(), option) != all.end();
        };
        for (std::size_t i = 0; i < all.size(); ++i)
            for (std::size_t k = 0; k < i; ++k)
                if (exclude_each_other(command_, *all[k], *all[i]))
                    throw usage(
                        std::string(all[k]->name()) + " excludes " + std::string(all[i]->name()),
                        help_of(command_));
        for (const Option* one : all)
            if (!one->needed().empty() && !has(command_.find(one->needed())))
                throw usage(std::string(one->name()) + " needs " + std::string(one->needed()),
                            help_of(command_));
        for (const Option& option : command_.options())
            if (option.is_required() && !has(&option))
                throw usage(std::string(option.name()) + " is missing", help_of(command_));
    }

    void store() const {
        for (const Word& word : words_) {
            word.option->store(word.text);
            if (are_literal_) word.option->note_literal();
        }
        for (const Given& given : options_) given.option->store(given.value.value_or(""));
    }

  private:
    void take_word(const std::string& word) {
        if (words_to_come_.empty())
            throw usage("unexpected argument " + base::quoted(word), help_of(command_));
        const Option* option = words_to_come_.front();
        if (option->takes() == Takes::words && many_++ == 0) {
            first_of_many_ = at_;
            are_literal_ = only_words_;
        }
        if (!option->takes_many()) words_to_come_.erase(words_to_come_.begin());
        words_.push_back({option, word});
        if (!behind_words_.empty() && many_ > 0) throw option_among_words();
    }

    void take_options(const std::string& argument) {
        if (many_ > 0) behind_words_ = argument;
        if (many_ > 1) throw option_among_words();
        for (Given& given : read_options(command_, argument)) {
            if (given.problem) throw problem_with(given);
            if (given.option->takes() == Takes::value && !given.value)
                given.value = next_value(given);
            if (given.option->type() == "[=TIME]" && !given.value) refuse_time_behind_blank(given);
            options_.push_back(std::move(given));
        }
    }

    // '-Cmy dir' can be read in two ways, so it is refused.
    void refuse_two_readings(const std::string& argument) const {
        if (argument.size() < 3 || argument.front() != '-' || argument[1] == '-') return;
        const std::string name = argument.substr(0, 2);
        const Option* option = command_.find(name);
        if (option == nullptr || option->takes() != Takes::value) return;
        throw usage(base::quoted(argument) + ": is it the value of " + name + ", or a word?",
                    name + " " + base::shell_quoted(argument.substr(2)) + ", or -- before a word");
    }

    std::string next_value(const Given& given) {
        const std::string what =
            given.typed + ": " +
            (given.option->type().empty() ? "its value" : std::string(given.option->type())) +
            " is missing";
        if (at_ + 1 >= arguments_.size() || arguments_[at_ + 1] == "--")
            throw usage(what, help_of(command_));
        const std::string& next = arguments_[at_ + 1];
        if (next.size() > 1 && next.front() == '-' &&
            command_.find(std::string_view(next).substr(0, next.find('='))) != nullptr)
            throw usage(what + ", " + base::quoted(next) + " is an option",
                        std::string(given.option->name()) + "=" + base::shell_quoted(next) +
                            " gives it as the value");
        ++at_;
        return next;
    }

    // The time would be taken as the first word of a prompt.
    void refuse_time_behind_blank(const Given& given) const {
        if (at_ + 1 >= arguments_.size() || !base::parse_duration_ms(arguments_[at_ + 1])) return;
        const std::string& time = arguments_[at_ + 1];
        throw usage(given.typed + ": give the time after '='",
                    given.typed + "=" + time + "; if " + base::quoted(time) +
                        " is a word: " + given.typed + " -- " + time);
    }

    // Returns the whole line with "--" before the first word of the text.
    std::string with_dashes() const {
        std::vector<std::string> typed{command_.path()};
        for (std::size_t i = 0; i < arguments_.size(); ++i) {
            if (i == first_of_many_) typed.emplace_back("--");
            typed.push_back(base::shell_quoted(arguments_[i]));
        }
        return base::join(typed, " ");
    }

    Error option_among_words() const {
        return usage(
            base::quoted(behind_words_) + " is between the words of " +
                std::string(words_.back().option->name()),
            "put options before the words, or quote the whole text; if it is one of the words: " +
                with_dashes());
    }

    Error problem_with(const Given& given) const {
        if (many_ != 1 || given.option != nullptr) return *given.problem;
        return {given.problem->code(), given.problem->message(),
                given.problem->hint() + "; if it is one of the words: " + with_dashes()};
    }

    // Returns the options and words given, each once.
    std::vector<const Option*> given() const {
        std::vector<const Option*> all;
        const auto add = [&](const Option* option) {
            const bool is_new = std::find(all.begin(), all.end(), option) == all.end();
            if (is_new) all.push_back(option);
            return is_new;
        };
        for (const Given& one : options_)
            if (!add(one.option) && one.option->takes() != Takes::nothing &&
                !one.option->may_repeat())
                throw usage(std::string(one.option->name()) + " is given twice", help_of(command_));
        for (const Word& word : words_) add(word.option);
        return all;
    }

    struct Word {
        const Option* option;
        std::string text;
    };
    const Command& command_;
    const std::vector<std::string>& arguments_;
    std::vector<const Option*> words_to_come_;
    std::vector<Word> words_;
    std::vector<Given> options_;
    std::size_t at_ = 0;             // in arguments_
    std::size_t first_of_many_ = 0;  // where the words of a text begin
    std::size_t many_ = 0;           // the number of its words
    std::string behind_words_;       // an option after the first of them
    bool only_words_ = false;        // after --
    bool are_literal_ = false;       // the words follow --
};

}  // namespace

std::vector<Given> read_options(const Command& command, const std::string& argument) {
    if (!is_option(command, argument)) return {};
    if (argument[1] == '-') return {read_long(command, argument)};
    return read_short(command, argument);
}

Wanted parse(const Command& command, const std::vector<std::string>& arguments) {
    Line line(command, arguments);
    const Wanted wanted = line.read();
    if (wanted != Wanted::run) return wanted;
    line.check_values();
    line.check_together();
    line.store();
    return Wanted::run;
}

}  // namespace chorus::cli
