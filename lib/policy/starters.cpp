#include "policy/starters.hpp"

#include <fnmatch.h>
#include <re2/re2.h>

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.hpp"

namespace chorus::embedded {
extern const std::string_view policy_programs;
}

namespace chorus::policy {
namespace {

// A line of data/programs.txt, in the format described there.
struct Starter {
    std::string_view judged;
    std::string_view words;
};

const Starter* find_starter(std::string_view program) {
    static const auto table = [] {
        std::unordered_map<std::string_view, Starter> all;
        for (const std::string_view line : base::split_lines(embedded::policy_programs)) {
            if (line.starts_with('#')) continue;
            const std::size_t colon = std::min(line.find(" : "), line.size());
            const auto names = base::split(line.substr(0, colon), ' ');
            const std::string_view words = line.substr(std::min(colon + 3, line.size()));
            for (std::size_t i = 1; i < names.size(); ++i) all[names[i]] = {names[0], words};
        }
        return all;
    }();
    const auto found = table.find(program);
    return found == table.end() ? nullptr : &found->second;
}

bool meets(std::string_view word, std::string_view option) {
    if (option.empty()) return false;
    if (option.find('*') != std::string_view::npos)
        return fnmatch(std::string(option).c_str(), std::string(word).c_str(), 0) == 0;
    const std::string_view name = word.substr(0, word.find('='));
    if (option.starts_with("--")) return name.size() > 2 && option.starts_with(name);
    if (option.size() == 2 && option.front() == '-')
        return word.starts_with('-') && !word.starts_with("--") &&
               word.find(option[1]) != std::string_view::npos;
    return name == option;
}

bool is_option_of(std::string_view word, std::string_view options) {
    const auto all = base::split(options, ' ');
    return std::any_of(all.begin(), all.end(),
                       [&](std::string_view option) { return meets(word, option); });
}

// Returns the place of the started command; nothing for an option that is not listed, since it may
// do more than start the command (env -S, setsid -f).
std::optional<std::size_t> wrapped(std::string_view options, Words words) {
    std::size_t at = 1;
    for (; at < words.size() && words[at].starts_with('-'); ++at) {
        const std::string& word = words[at];
        const std::string name = word.substr(0, word.starts_with("--") ? word.find('=') : 2);
        if (!is_listed(word, options) && !is_listed(name + "=", options)) return std::nullopt;
        if (name == word && !is_listed(word, options)) ++at;  // skips its value
    }
    if (is_listed("operand", options)) ++at;
    if (at < words.size()) return at;
    return at == words.size() && is_listed("alone", options) ? std::optional(std::size_t{0})
                                                             : std::nullopt;
}

bool names_script(std::string_view word) {
    return !word.empty() && !base::is_one_of(word.front(), "-+") && !word.starts_with("/dev/") &&
           !word.starts_with("/proc/");
}

bool is_plain(const Starter& starter, Words words);

// Whether a plain, known subcommand follows global options that configure nothing.
bool git_is_plain(Words words) {
    const auto at = wrapped(find_starter("git/options")->words, words);
    if (!at || *at == 0) return at.has_value();
    const Starter* subcommand = find_starter("git:" + words[*at]);
    return subcommand != nullptr && is_plain(*subcommand, words.subspan(*at));
}

// Each word is followed by a NUL. With -e, a word that is not an option is a file.
std::string sed_expression(std::string_view scripts) {
    const std::string script = fmt::format(R"((?:{})\x00)", scripts);
    const std::string option = R"((?:-(?:[nErsuz]|nE|nr|En|-quiet|-silent)\x00))";
    const std::string others = "(?:" + option + R"(|(?:[^-\x00][^\x00]*|-)?\x00)*)";
    return "(?:" + others + R"((?:-e\x00)" + script + others + ")+|" + option + "*" + script +
           others + ")";
}

bool sed_is_plain(std::string_view scripts, Words words) {
    static const RE2 expression(sed_expression(scripts), RE2::Latin1);
    std::string text;
    for (std::string word : words.subspan(1)) {
        const char delimiter = word.starts_with('s') && word.size() > 1 ? word[1] : '/';
        if (std::string_view("|#,:@").find(delimiter) != std::string_view::npos)
            for (char& c : word) c = c == '/' ? delimiter : c == delimiter ? '/' : c;
        text.append(word).push_back('\0');
    }
    return RE2::FullMatch(text, expression);
}

bool is_plain(const Starter& starter, Words words) {
    const std::string_view judged = starter.judged;
    const std::string_view listed = starter.words;
    const std::string_view first = words.size() > 1 ? std::string_view(words[1]) : "";
    if (judged == "opaque") return false;
    if (judged == "script") return names_script(first) || is_listed(first, listed);
    if (judged == "first") return is_listed(first, listed);
    // "--" counts as an operand, since every word after it is one
    if (judged == "operand")
        return std::count_if(words.begin() + 1, words.end(), [](const std::string& word) {
                   return word == "-" || word == "--" || !word.starts_with('-');
               }) <= 1;
    if (judged == "sed") return sed_is_plain(listed, words);
    // "tar cIf" is "tar -cIf"
    if (judged == "tar" && !first.starts_with('-') &&
        is_option_of("-" + std::string(first), listed))
        return false;
    if (judged == "git" && !git_is_plain(words)) return false;
    return std::none_of(words.begin() + 1, words.end(),
                        [&](const std::string& word) { return is_option_of(word, listed); });
}

// "python3.11" is looked up as such, then as "python".
std::string_view without_version(std::string_view program) {
    return program.substr(0, program.find_last_not_of("0123456789.-") + 1);
}

}  // namespace

std::string_view base_name(std::string_view program) {
    return program.substr(program.find_last_of('/') + 1);
}

bool is_shell(std::string_view program) {
    return is_listed(without_version(base_name(program)),
                     "sh bash dash zsh ksh mksh fish ash rbash yash tcsh csh posh oksh nu xonsh");
}

bool is_listed(std::string_view word, std::string_view list) {
    if (word.empty() || word.find(' ') != std::string_view::npos) return false;
    for (std::size_t at = 0; (at = list.find(word, at)) != std::string_view::npos; ++at) {
        const std::size_t end = at + word.size();
        if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' '))
            return true;
    }
    return false;
}

std::optional<std::size_t> what_starts(Words words) {
    const std::string_view program = base_name(words.front());
    if (program.empty()) return std::nullopt;
    for (const std::string_view family : {"ld-linux", "ld-musl", "ld.so", "qemu-", "git-"})
        if (program.starts_with(family)) return std::nullopt;
    const Starter* starter = find_starter(program);
    if (starter == nullptr) starter = find_starter(without_version(program));
    if (starter == nullptr) return 0;
    if (starter->judged == "wrapper") return wrapped(starter->words, words);
    return is_plain(*starter, words) ? std::optional(std::size_t{0}) : std::nullopt;
}

}  // namespace chorus::policy
