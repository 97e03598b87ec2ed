// Describes the command line of a program, or of one verb of it. A command file describes its
// options and words with this; CLI11 is used in cli/help.cpp only.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace chorus::cli {

enum class Takes {
    nothing,
    value,
    value_behind_equals,  // or no value
    list,                 // words; options may stand between them
    words,                // the words of a text; no option may stand between them
};

// The variable that a value is stored in.
struct OptionVariable {
    std::variant<bool*, std::int64_t*, std::optional<std::int64_t>*, std::string*,
                 std::optional<std::string>*, std::vector<std::string>*>
        place;
    OptionVariable(bool& value) : place(&value) {}
    OptionVariable(std::int64_t& value) : place(&value) {}
    OptionVariable(std::optional<std::int64_t>& value) : place(&value) {}
    OptionVariable(std::string& value) : place(&value) {}
    OptionVariable(std::optional<std::string>& value) : place(&value) {}
    OptionVariable(std::vector<std::string>& value) : place(&value) {}
};

// One option or word. Names, types and descriptions are literals: they are not copied.
class Option {
  public:
    // `names` may end in the word that the help shows for the value: "-o,--output FILE",
    // "--approve ID|all", "--wait[=TIME]". Upper case names a kind of value, which shells complete;
    // lower case is the literal word. In brackets the value may be left out.
    Option(std::string_view names, OptionVariable target, Takes takes, std::string_view about);

    Option& one_of(std::vector<std::string> values) {
        values_ = std::move(values);
        return *this;
    }
    Option& from(std::int64_t least) {
        least_ = least;
        return *this;
    }
    Option& required() {
        is_required_ = true;
        return *this;
    }
    Option& may_be_empty() {
        may_be_empty_ = true;
        return *this;
    }
    // For words: sets `target` if they follow "--", where "-" is a word.
    Option& literal(bool& target) {
        literal_ = &target;
        return *this;
    }
    // Requires that option of the same command.
    Option& needs(std::string_view option) {
        needed_ = option;
        return *this;
    }

    bool is_word() const { return names_.front() != '-'; }
    Takes takes() const { return takes_; }
    bool takes_many() const { return takes_ == Takes::list || takes_ == Takes::words; }
    // An option with a list may be given several times, each with one value.
    bool may_repeat() const {
        return std::holds_alternative<std::vector<std::string>*>(target_.place);
    }
    bool has_name(std::string_view name) const;  // with its dashes
    std::vector<std::string_view> names() const;
    // The long name if there is one: "--model".
    std::string_view name() const;
    std::string_view all_names() const { return names_; }
    std::string_view about() const { return about_; }
    std::string_view type() const { return type_; }
    const std::vector<std::string>& values() const { return values_; }
    bool is_required() const { return is_required_; }
    std::string_view needed() const { return needed_; }

    // Returns what is wrong with a value: "is empty", "'x' is not one of 'a' and 'b'"; "" if
    // nothing is.
    std::string problem_of(const std::string& text) const;
    // Stores a valid value; "" for an option given without a value.
    void store(const std::string& text) const;
    void note_literal() const;
    // Replaces `text` where it was stored by what `by` returns.
    void replace(std::string_view text, const std::function<std::string()>& by) const;

  private:
    bool is_number() const;
    bool is_of_bytes() const;
    std::optional<std::int64_t> number(const std::string& text) const;

    std::string_view names_;  // "-m,--model", "NAME"
    std::string_view type_;   // "MODEL"
    OptionVariable target_;
    Takes takes_;
    std::string_view about_;
    std::string_view needed_;
    std::vector<std::string> values_;
    std::int64_t least_ = 0;
    bool is_required_ = false;
    bool may_be_empty_ = false;
    bool* literal_ = nullptr;
};

constexpr std::string_view help_option = "--help";
constexpr std::string_view version_option = "--version";

class Command {
  public:
    // `path` is the program, which gets --version, or the program and its verb: "chorus-context
    // log".
    Command(std::string path, std::string_view about);

    Option& flag(std::string_view names, bool& target, std::string_view about) {
        return options_.emplace_back(names, target, Takes::nothing, about);
    }
    // For "--wait[=TIME]" `target` stays nothing if it is not given, and is "" without a value.
    Option& option(std::string_view names, OptionVariable target, std::string_view about) {
        return options_.emplace_back(names, target, Takes::value, about);
    }
    Option& word(std::string_view name, OptionVariable target, std::string_view about) {
        return options_.emplace_back(name, target, Takes::value, about);
    }
    // list() and words() take all remaining words.
    Option& list(std::string_view name, std::vector<std::string>& target, std::string_view about) {
        return options_.emplace_back(name, target, Takes::list, about);
    }
    Option& words(std::string_view name, std::vector<std::string>& target, std::string_view about) {
        return options_.emplace_back(name, target, Takes::words, about);
    }

    const std::string& path() const { return path_; }
    std::string_view about() const { return about_; }
    const std::deque<Option>& options() const { return options_; }  // and words, in the order added
    const Option* find(std::string_view name) const;

  private:
    std::string path_;
    std::string_view about_;
    std::deque<Option> options_;
    bool ends_reading_ = false;
};

// Runs after the command line was parsed.
using Action = std::function<base::ExitStatus()>;
using Options = std::function<Action(Command&)>;

struct Verb {
    std::string_view name;
    std::string_view about;
    Options options;
    bool is_hidden = false;  // used by Chorus itself
};

}  // namespace chorus::cli
