#include "cli/completion.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"
#include "cli/conflicts.hpp"
#include "cli/main.hpp"
#include "cli/parse.hpp"

namespace chorus::cli {
namespace {

struct Row {
    std::string_view where;  // a program or a verb, "": any
    std::string_view what;   // an option, or the name of a value in the help
    WordSource source;
};

// The first row that matches applies.
constexpr std::array source_rows{
    Row{"", "--actor", WordSource::nothing},
    Row{"", "--answer", WordSource::question},
    Row{"", "--approve", WordSource::call},
    Row{"", "--idempotency-key", WordSource::nothing},
    Row{"", "--session", WordSource::session},
    Row{"answer", "ID", WordSource::question},
    Row{"approve", "ID", WordSource::call},
    Row{"branch", "BRANCH", WordSource::nothing},  // a new name, as is chorus-init's agent
    Row{"chorus-init", "NAME", WordSource::nothing},
    Row{"kill", "ID", WordSource::running_task},
    Row{"log", "ID", WordSource::task},
    Row{"login", "--profile", WordSource::nothing},
    Row{"profiles", "NAME", WordSource::nothing},
    Row{"restore", "ID", WordSource::session},
    Row{"wait", "ID", WordSource::task},
    Row{"", "BRANCH", WordSource::branch},
    Row{"", "COMMAND", WordSource::files},
    Row{"", "DIR", WordSource::directories},
    Row{"", "FILE", WordSource::files},
    Row{"", "ID", WordSource::prompt},
    Row{"", "KEY", WordSource::key},
    Row{"", "MODEL", WordSource::model},
    Row{"", "NAME", WordSource::agent},
    Row{"", "PATH", WordSource::files},
    Row{"", "PRESET", WordSource::preset},
    Row{"", "PROFILE", WordSource::profile},
    Row{"", "PROVIDER", WordSource::provider},
    Row{"", "TAR", WordSource::files},
    Row{"", "THREAD", WordSource::thread},
    Row{"", "VALUE", WordSource::key_value},
    Row{"", "WORDS", WordSource::files},
};

// Returns the option's name that begins with `begun`. A short name is offered only if there is no
// long one, or if it was typed in full.
std::string_view name_that_begins(const Option& option, std::string_view begun) {
    const auto names = option.names();
    const bool has_long = option.name().starts_with("--");
    for (const std::string_view name : names)
        if (name.starts_with("--") ? name.starts_with(begun) : (!has_long || name == begun))
            return name;
    return "";
}

// Returns the option that takes the word after `before` others.
const Option* find_word(const Command& command, int before) {
    for (const Option& option : command.options()) {
        if (!option.is_word()) continue;
        if (before-- == 0 || option.takes_many()) return &option;
    }
    return nullptr;
}

class TypedLine {
  public:
    explicit TypedLine(const Program& program) : program_(program) { begin(nullptr); }

    void pass(const std::string& word) {
        const auto given = read(word);
        if (waiting_ != nullptr) {
            take(*waiting_, word);
            waiting_ = nullptr;
        } else if (!given.empty()) {
            for (const Given& one : given) pass_option(one);
        } else if (!only_words_ && word == "--") {
            only_words_ = true;
        } else if (const Verb* verb = verb_here(word)) {
            begin(verb);
        } else if (only_words_ || word.size() < 2 || word.front() != '-') {
            if (const Option* option = find_word(*command_, words_++)) take(*option, word);
        }
    }

    Completion complete(const std::string& begun) {
        completion_.begun = begun;
        if (waiting_ != nullptr) {
            offer_value(*waiting_);
            return completion_;
        }
        const auto given = read(begun);
        if (!given.empty() && given.back().value) {
            completion_.stem = begun.substr(0, given.back().value_at);
            completion_.begun = begun.substr(given.back().value_at);
            offer_value(*given.back().option);
        } else if (!only_words_ && begun.starts_with('-')) {
            offer_options();
        } else {
            offer_verbs();
            if (const Option* option = find_word(*command_, words_))
                offer_value(*option);
            else if (only_words_)
                completion_.sources.push_back(WordSource::files);
        }
        return completion_;
    }

  private:
    void begin(const Verb* verb) {
        verb_ = verb;
        const std::string name(program_.name);
        command_.emplace(verb == nullptr ? name : name + " " + std::string(verb->name), "");
        const Options& options = verb == nullptr ? program_.options : verb->options;
        if (options) action_ = options(*command_);
        words_ = 0;
    }

    // A verb is recognised only as the first word.
    const Verb* verb_here(const std::string& word) const {
        if (verb_ != nullptr || only_words_ || words_ > 0 || !given_.empty()) return nullptr;
        const Verb* verb = find_verb(program_, word);
        return verb == nullptr || verb->is_hidden ? nullptr : verb;
    }

    void pass_option(const Given& given) {
        given_.push_back(given.option);
        if (given.value)
            take(*given.option, *given.value);
        else if (given.option->takes() == Takes::value)
            waiting_ = given.option;
    }

    // Remembers an agent or a key, which narrow the candidates for later words.
    void take(const Option& option, const std::string& value) {
        const WordSource source =
            source_of(option, option.is_word() ? option.name() : option.type());
        if (source == WordSource::agent && completion_.agent.empty()) completion_.agent = value;
        if (source == WordSource::key) completion_.key = value;
    }

    std::vector<Given> read(const std::string& word) const {
        if (only_words_) return {};
        std::vector<Given> options = read_options(*command_, word);
        if (!options.empty() && options.back().problem) options.clear();
        return options;
    }

    WordSource source_of(const Option& option, std::string_view word) const {
        const std::string_view verb = verb_ == nullptr ? std::string_view() : verb_->name;
        const auto fits = [&](const Row& row) {
            if (!row.where.empty() && row.where != program_.name && row.where != verb) return false;
            return row.what == word || (row.what.starts_with("--") && option.has_name(row.what));
        };
        const auto* found = std::find_if(source_rows.begin(), source_rows.end(), fits);
        return found == source_rows.end() ? WordSource::nothing : found->source;
    }

    bool is_offered(const Option& option) const {
        if (option.is_word()) return false;
        return std::none_of(given_.begin(), given_.end(), [&](const Option* other) {
            return other == &option || exclude_each_other(*command_, option, *other);
        });
    }

    // In "ID|all" a lower-case word is literal. The value in "[=DIR|TAR]" is optional.
    void offer_value(const Option& option) {
        for (const std::string& value : option.values()) completion_.offer(value, "");
        if (!option.values().empty()) return;
        std::string word(option.is_word() ? option.name() : option.type());
        std::erase_if(word, [](char c) { return c == '[' || c == ']' || c == '='; });
        for (const std::string_view part : base::split(word, '|')) {
            if (part.empty()) continue;
            if (part.front() == '@') {
                if (!completion_.begun.starts_with('@')) continue;
                completion_.stem += '@';
                completion_.begun.erase(0, 1);
                completion_.sources = {source_of(option, part.substr(1))};
            } else if (part.front() >= 'a' && part.front() <= 'z') {
                completion_.offer(part, "");
            } else {
                completion_.sources.push_back(source_of(option, part));
            }
        }
    }

    void offer_options() {
        for (const Option& option : command_->options())
            if (is_offered(option))
                completion_.offer(name_that_begins(option, completion_.begun), option.about());
    }

    void offer_verbs() {
        for (const Verb& verb : program_.verbs)
            if (verb_here(std::string(verb.name)) != nullptr)
                completion_.offer(verb.name, verb.about);
    }

    const Program& program_;
    const Verb* verb_ = nullptr;
    std::optional<Command> command_;
    Action action_;  // owns the variables of the options
    std::vector<const Option*> given_;
    const Option* waiting_ = nullptr;  // an option that waits for its value
    int words_ = 0;                    // the number of words so far
    bool only_words_ = false;          // after --
    Completion completion_;
};

constexpr std::size_t most_about_bytes = 72;

// Returns one line without control characters.
std::string shown_about(std::string_view text) {
    std::string shown(base::trim(
        base::visible(base::utf8_prefix(text, 4 * most_about_bytes), base::Newlines::escape)));
    std::replace(shown.begin(), shown.end(), '\t', ' ');
    const std::string_view cut = base::utf8_prefix(shown, most_about_bytes);
    return std::string(cut) + (cut.size() < shown.size() ? "…" : "");
}

}  // namespace

void Completion::offer(std::string_view word, std::string_view about) {
    if (word.empty() || word.substr(0, begun.size()) != begun) return;
    candidates.push_back({stem + std::string(word), std::string(about)});
}

Completion complete(const Program& program, std::span<const std::string> words) {
    TypedLine line(program);
    if (words.empty()) return line.complete("");
    for (const std::string& word : words.first(words.size() - 1)) line.pass(word);
    return line.complete(words.back());
}

std::string printed(const Completion& completion) {
    std::string lines;
    for (const Candidate& candidate : completion.candidates)
        lines += candidate.word + '\t' + shown_about(candidate.about) + '\n';
    const auto has = [&](WordSource source) {
        return std::find(completion.sources.begin(), completion.sources.end(), source) !=
               completion.sources.end();
    };
    if (has(WordSource::files))
        lines += ":files\t" + completion.stem + '\n';
    else if (has(WordSource::directories))
        lines += ":directories\t" + completion.stem + '\n';
    return lines;
}

}  // namespace chorus::cli
