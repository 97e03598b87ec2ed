#include "policy/starters.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "policy/option_words.hpp"
#include "policy/starter_table.hpp"

namespace chorus::policy {
namespace {

using What = Starts::What;

// Programs whose words are options and operands, then a command. Other options than these may do
// more than start it (env -S, setsid -f).
struct Wrapper {
    std::string_view program;
    std::string_view flags;
    std::string_view valued;
    std::size_t operands = 0;
    bool alone = false;  // without a command it prints something
};
constexpr std::array wrappers{
    Wrapper{"env", "-i --ignore-environment", "", 0, true},
    Wrapper{"nice", "", "-n --adjustment", 0, true},
    Wrapper{"nohup", "", ""},
    Wrapper{"setsid", "-w --wait", ""},
    Wrapper{"stdbuf", "", "-i -o -e --input --output --error"},
    Wrapper{"timeout", "-v --verbose --foreground --preserve-status", "-s -k --signal --kill-after",
            1},
};

constexpr std::string_view shells =
    "sh bash dash zsh ksh mksh fish ash rbash yash tcsh csh posh oksh nu xonsh";

constexpr std::array opaque_families{"ld-linux", "ld-musl", "ld.so", "qemu-", "git-"};

// How many words an option takes, 0 where it is not one of the wrapper's.
std::size_t option_words(const Wrapper& wrapper, std::string_view word) {
    if (is_listed(word, wrapper.flags)) return 1;
    if (is_listed(word, wrapper.valued)) return 2;
    const bool is_long = word.starts_with("--");
    const std::string_view name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
    return name.size() < word.size() && is_listed(name, wrapper.valued) ? 1 : 0;
}

Starts wrapped(const Wrapper& wrapper, const std::vector<std::string>& words) {
    std::size_t at = 1;
    while (at < words.size() && words[at].starts_with('-')) {
        const std::size_t taken = option_words(wrapper, words[at]);
        if (taken == 0) return {What::unknown};
        at += taken;
    }
    at += wrapper.operands;
    if (at >= words.size())
        return {wrapper.alone && at == words.size() ? What::itself : What::unknown};
    return {What::inner, at};
}

// A Makefile is what make is for; a variable or an expression of the command line can replace it.
bool make_is_plain(const std::vector<std::string>& words) {
    return std::none_of(words.begin() + 1, words.end(), [](const std::string& word) {
        const bool sets = !word.starts_with('-') && word.find('=') != std::string::npos;
        return sets || word.find_first_of("$`") != std::string::npos ||
               is_option_of(word, "-E --eval -f --file --makefile");
    });
}

// "tar cIf" is "tar -cIf".
std::vector<std::string> with_dash(std::vector<std::string> words) {
    if (words.size() > 1 && !words[1].starts_with('-')) words[1].insert(0, "-");
    return words;
}

// After "--" every word is one, and "-" always is.
std::size_t count_operands(const std::vector<std::string>& words) {
    std::size_t count = 0;
    bool options_ended = false;
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (options_ended || words[i] == "-" || !words[i].starts_with('-')) ++count;
        options_ended = options_ended || words[i] == "--";
    }
    return count;
}

bool names_script(std::string_view word) {
    return !word.empty() && !word.starts_with('-') && !word.starts_with("/dev/") &&
           !word.starts_with("/proc/");
}

bool is_plain(const Starter& starter, const std::vector<std::string>& words) {
    const std::string_view first =
        words.size() > 1 ? std::string_view(words[1]) : std::string_view();
    switch (starter.caution) {
        case Caution::opaque:
            return false;
        case Caution::options:
            return std::none_of(words.begin() + 1, words.end(), [&](const std::string& word) {
                return is_option_of(word, starter.words);
            });
        case Caution::first_word:
            return is_listed(first, starter.words);
        case Caution::one_operand:
            return count_operands(words) <= 1;
        case Caution::script:
            return names_script(first) || is_listed(first, starter.words);
    }
    return false;
}

// "python3.11" is looked up as such, then as "python".
std::string_view without_version(std::string_view program) {
    const std::size_t last = program.find_last_not_of("0123456789.-");
    return last == std::string_view::npos ? program : program.substr(0, last + 1);
}

std::optional<bool> find_plainness(std::string_view program,
                                   const std::vector<std::string>& words) {
    if (program == "git") return git_is_plain(words);
    if (program == "sed" || program == "gsed") return sed_is_plain(words);
    if (program == "make" || program == "gmake") return make_is_plain(words);
    const auto starter = find_starter(program);
    if (starter) return is_plain(*starter, program == "tar" ? with_dash(words) : words);
    return std::nullopt;
}

}  // namespace

std::string_view base_name(std::string_view program) {
    return program.substr(program.find_last_of('/') + 1);
}

bool is_shell(std::string_view program) {
    return is_listed(without_version(base_name(program)), shells);
}

Starts what_starts(const std::vector<std::string>& words) {
    const std::string_view program = base_name(words.front());
    if (program.empty()) return {What::unknown};
    for (const std::string_view family : opaque_families)
        if (program.starts_with(family)) return {What::unknown};
    const auto* wrapper = std::find_if(wrappers.begin(), wrappers.end(),
                                       [&](const Wrapper& one) { return one.program == program; });
    if (wrapper != wrappers.end()) return wrapped(*wrapper, words);
    auto plain = find_plainness(program, words);
    if (!plain) plain = find_plainness(without_version(program), words);
    return {plain.value_or(true) ? What::itself : What::unknown};
}

}  // namespace chorus::policy
