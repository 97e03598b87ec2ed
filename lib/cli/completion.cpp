#include "cli/completion.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace chorus::cli {
namespace {

struct Row {
    std::string_view where;  // a program or a verb, "": any
    std::string_view what;   // an option, or the word that stands for a value in its help
    Source source;
};

// The first that fits.
constexpr std::array rows{
    Row{"", "--actor", Source::nothing},
    Row{"", "--answer", Source::question},
    Row{"", "--approve", Source::call},
    Row{"", "--idempotency-key", Source::nothing},
    Row{"", "--session", Source::session},
    Row{"answer", "ID", Source::question},
    Row{"approve", "ID", Source::call},
    Row{"branch", "BRANCH", Source::nothing},  // a new one, as the agent of chorus-init
    Row{"chorus-init", "NAME", Source::nothing},
    Row{"kill", "ID", Source::running_task},
    Row{"log", "ID", Source::task},
    Row{"restore", "ID", Source::session},
    Row{"wait", "ID", Source::task},
    Row{"", "BRANCH", Source::branch},
    Row{"", "COMMAND", Source::files},
    Row{"", "DIR", Source::directories},
    Row{"", "FILE", Source::files},
    Row{"", "ID", Source::prompt},
    Row{"", "KEY", Source::key},
    Row{"", "MODEL", Source::model},
    Row{"", "NAME", Source::agent},
    Row{"", "PATH", Source::files},
    Row{"", "PROFILE", Source::profile},
    Row{"", "TAR", Source::files},
    Row{"", "THREAD", Source::thread},
    Row{"", "VALUE", Source::key_value},
    Row{"", "WORDS", Source::files},
};

bool contains(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_hidden(const CLI::Option& option) {
    return option.get_group().empty();
}

bool takes_word(const CLI::Option& option) {
    return option.get_items_expected_min() > 0;
}

bool may_come_again(const CLI::Option& option) {
    return option.get_items_expected_max() > 1;
}

// The name that begins so; a short one where there is no other, or where it stands there whole.
std::string name_that_begins(const CLI::Option& option, std::string_view begun) {
    for (const std::string& name : option.get_lnames())
        if (("--" + name).rfind(begun, 0) == 0) return "--" + name;
    for (const std::string& letter : option.get_snames())
        if (option.get_lnames().empty() || begun == "-" + letter) return "-" + letter;
    return "";
}

const CLI::Option* find_long(const CLI::App& app, std::string_view name) {
    for (const CLI::Option* option : app.get_options())
        if (contains(option->get_lnames(), name)) return option;
    return nullptr;
}

const CLI::Option* find_short(const CLI::App& app, char letter) {
    for (const CLI::Option* option : app.get_options())
        if (contains(option->get_snames(), {&letter, 1})) return option;
    return nullptr;
}

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* verb) {
        return !verb->get_name().empty() && !verb->get_group().empty();
    });
}

const CLI::App* find_verb(const CLI::App& app, std::string_view name) {
    for (const CLI::App* verb : verbs_of(app))
        if (verb->get_name() == name) return verb;
    return nullptr;
}

// The one that takes the word behind so many.
const CLI::Option* find_positional(const CLI::App& app, int before) {
    for (const CLI::Option* option : app.get_options()) {
        if (!option->get_positional()) continue;
        const int most = option->get_items_expected_max();
        if (before < most) return option;
        before -= most;
    }
    return nullptr;
}

// An option as it stands in a word, and where its value begins there.
struct Given {
    const CLI::Option* option = nullptr;
    std::size_t value = std::string::npos;  // npos: it is the next word, if it takes one
};

Given read_long(const CLI::App& app, const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string_view name = std::string_view(word).substr(0, equals).substr(2);
    return {find_long(app, name), equals == std::string::npos ? equals : equals + 1};
}

// "-qtmain" are -q and -t main.
Given read_short(const CLI::App& app, const std::string& word) {
    Given given;
    for (std::size_t i = 1; i < word.size(); ++i) {
        given.option = find_short(app, word[i]);
        if (given.option == nullptr) return {};
        if (takes_word(*given.option)) {
            given.value = i + 1 < word.size() ? i + 1 : std::string::npos;
            return given;
        }
    }
    return given;
}

bool is_long(std::string_view word) {
    return word.size() > 2 && word.substr(0, 2) == "--";
}
bool is_short(std::string_view word) {
    return word.size() > 1 && word[0] == '-' && word[1] != '-';
}

class Line {
  public:
    explicit Line(const CLI::App& app) : app_(&app), program_(app.get_name()) {}

    void pass(const std::string& word);
    Completion complete(const std::string& begun) const;

  private:
    void pass_option(const Given& given, const std::string& word);
    void take(const CLI::Option& option, const std::string& value);
    Given read(const std::string& word) const;
    Source source_of(const CLI::Option& option, std::string_view word) const;
    bool is_offered(const CLI::Option& option) const;
    void offer_value(Completion& completion, const CLI::Option& option) const;
    void offer_options(Completion& completion) const;
    void offer_verbs(Completion& completion) const;

    const CLI::App* app_;
    std::string program_;
    std::vector<const CLI::Option*> given_;
    const CLI::Option* waiting_ = nullptr;  // for its value
    int positional_ = 0;                    // how many there were
    bool only_words_ = false;               // behind --
    std::string agent_;
    std::string key_;
};

Given Line::read(const std::string& word) const {
    if (only_words_) return {};
    if (is_long(word)) return read_long(*app_, word);
    if (is_short(word)) return read_short(*app_, word);
    return {};
}

void Line::pass(const std::string& word) {
    if (waiting_ != nullptr) {
        take(*waiting_, word);
        waiting_ = nullptr;
    } else if (const Given given = read(word); given.option != nullptr) {
        pass_option(given, word);
    } else if (!only_words_ && word == "--") {
        only_words_ = true;
    } else if (const CLI::App* verb = only_words_ ? nullptr : find_verb(*app_, word)) {
        app_ = verb;
        positional_ = 0;
    } else if (only_words_ || word.size() < 2 || word.front() != '-') {
        if (const CLI::Option* option = find_positional(*app_, positional_++)) take(*option, word);
    }
}

void Line::pass_option(const Given& given, const std::string& word) {
    given_.push_back(given.option);
    if (given.value != std::string::npos)
        take(*given.option, word.substr(given.value));
    else if (takes_word(*given.option))
        waiting_ = given.option;
}

// An agent, or a key, which narrow what comes behind them.
void Line::take(const CLI::Option& option, const std::string& value) {
    const std::string word =
        option.get_positional() ? option.get_name(true) : option.get_type_name();
    const Source source = source_of(option, word.substr(0, word.find(':')));
    if (source == Source::agent && agent_.empty()) agent_ = value;
    if (source == Source::key) key_ = value;
}

Source Line::source_of(const CLI::Option& option, std::string_view word) const {
    const auto fits = [&](const Row& row) {
        if (!row.where.empty() && row.where != program_ && row.where != app_->get_name())
            return false;
        return row.what == word || (is_long(row.what) &&
                                    contains(option.get_lnames(), std::string(row.what.substr(2))));
    };
    const auto* found = std::find_if(rows.begin(), rows.end(), fits);
    return found == rows.end() ? Source::nothing : found->source;
}

Completion Line::complete(const std::string& begun) const {
    Completion completion;
    completion.begun = begun;
    completion.agent = agent_;
    completion.key = key_;
    if (waiting_ != nullptr) {
        offer_value(completion, *waiting_);
        return completion;
    }
    const Given given = read(begun);
    if (given.option != nullptr && given.value != std::string::npos) {
        completion.stem = begun.substr(0, given.value);
        completion.begun = begun.substr(given.value);
        offer_value(completion, *given.option);
    } else if (!only_words_ && begun.substr(0, 1) == "-") {
        offer_options(completion);
    } else {
        offer_verbs(completion);
        if (const CLI::Option* option = find_positional(*app_, positional_))
            offer_value(completion, *option);
        else if (only_words_)
            completion.sources.push_back(Source::files);
    }
    return completion;
}

// "ID|all": what stands for itself is in lower case. "[=DIR|TAR]" may be left out. "USE:{a,b}":
// nothing but one of them.
void Line::offer_value(Completion& completion, const CLI::Option& option) const {
    const std::string type = option.get_type_name();
    if (const std::size_t members = type.find(":{"); members != std::string::npos) {
        const std::size_t end = type.find('}', members);
        for (const auto member :
             base::split(std::string_view(type).substr(members + 2, end - members - 2), ','))
            completion.offer(member, "");
        return;
    }
    std::string word =
        option.get_positional() ? option.get_name(true) : type.substr(0, type.find(':'));
    std::erase_if(word, [](char c) { return c == '[' || c == ']' || c == '='; });
    for (const std::string_view part : base::split(word, '|')) {
        if (part.empty()) continue;
        if (part.front() == '@') {
            if (completion.begun.substr(0, 1) != "@") continue;
            completion.stem += '@';
            completion.begun.erase(0, 1);
            completion.sources = {source_of(option, part.substr(1))};
        } else if (part.front() >= 'a' && part.front() <= 'z') {
            completion.offer(part, "");
        } else {
            completion.sources.push_back(source_of(option, part));
        }
    }
}

bool Line::is_offered(const CLI::Option& option) const {
    if (is_hidden(option) || option.get_positional()) return false;
    const auto is_given = [&](const CLI::Option* other) {
        return std::find(given_.begin(), given_.end(), other) != given_.end();
    };
    if (is_given(&option) && !may_come_again(option)) return false;
    const auto excluded = option.get_excludes();
    return std::none_of(excluded.begin(), excluded.end(), is_given);
}

void Line::offer_options(Completion& completion) const {
    for (const CLI::Option* option : app_->get_options())
        if (is_offered(*option))
            completion.offer(name_that_begins(*option, completion.begun),
                             option->get_description());
}

void Line::offer_verbs(Completion& completion) const {
    if (only_words_) return;
    for (const CLI::App* verb : verbs_of(*app_))
        completion.offer(verb->get_name(), verb->get_description());
}

constexpr std::size_t most_about_bytes = 72;

// One line that moves no cursor.
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

Completion complete(const CLI::App& app, std::span<const std::string> words) {
    Line line(app);
    if (words.empty()) return line.complete("");
    for (const std::string& word : words.first(words.size() - 1)) line.pass(word);
    return line.complete(words.back());
}

std::string printed(const Completion& completion) {
    std::string lines;
    for (const Candidate& candidate : completion.candidates)
        lines += candidate.word + '\t' + shown_about(candidate.about) + '\n';
    const auto has = [&](Source source) {
        return std::find(completion.sources.begin(), completion.sources.end(), source) !=
               completion.sources.end();
    };
    if (has(Source::files))
        lines += ":files\t" + completion.stem + '\n';
    else if (has(Source::directories))
        lines += ":directories\t" + completion.stem + '\n';
    return lines;
}

}  // namespace chorus::cli
