#include <algorithm>

#include "policy/option_words.hpp"
#include "policy/starters.hpp"

namespace chorus::policy {
namespace {

bool all_of(std::string_view text, std::string_view set) {
    return text.find_first_not_of(set) == std::string_view::npos;
}

// The place after the next unescaped delimiter, or npos. A bracket may hold one that does not
// count: what holds a bracket is not told.
std::size_t after_delimiter(std::string_view script, std::size_t at, char delimiter) {
    for (; at < script.size(); ++at) {
        if (script[at] == '[') return std::string_view::npos;
        if (script[at] == '\\') {
            ++at;
        } else if (script[at] == delimiter) {
            return at + 1;
        }
    }
    return std::string_view::npos;
}

// s/a/b/g: e would run the result, w would write it.
bool is_plain_substitution(std::string_view script) {
    if (script.size() < 4 || script[0] != 's') return false;
    const char delimiter = script[1];
    if (!all_of(std::string_view(&delimiter, 1), "/|#,:@")) return false;
    const std::size_t second = after_delimiter(script, 2, delimiter);
    if (second == std::string_view::npos) return false;
    const std::size_t flags = after_delimiter(script, second, delimiter);
    return flags != std::string_view::npos && all_of(script.substr(flags), "gpiI0123456789");
}

// 5p, 1,20p, $d, 10q
bool is_plain_print(std::string_view script) {
    return !script.empty() &&
           std::string_view("pdq=").find(script.back()) != std::string_view::npos &&
           all_of(script.substr(0, script.size() - 1), "0123456789,$");
}

// /text/p, /text/d
bool is_plain_search(std::string_view script) {
    if (!script.starts_with('/')) return false;
    const std::size_t command = after_delimiter(script, 1, '/');
    return command != std::string_view::npos && is_listed(script.substr(command), "p d");
}

bool is_plain_script(std::string_view script) {
    return is_plain_print(script) || is_plain_search(script) || is_plain_substitution(script);
}

}  // namespace

bool sed_is_plain(const std::vector<std::string>& words) {
    bool has_script = false;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const bool option = words[i].size() > 1 && words[i].front() == '-';
        if (option && is_listed(words[i], "-n -E -r -s -u -z -nE -nr -En --quiet --silent"))
            continue;
        if (words[i] == "-e" && i + 1 < words.size()) {
            if (!is_plain_script(words[++i])) return false;
            has_script = true;
            continue;
        }
        if (option) return false;
        // With -e seen, what is no option is a file; GNU sed reads an -e behind it all the same.
        const bool more_scripts = std::find(words.begin(), words.end(), "-e") != words.end();
        if (!has_script && !more_scripts && !is_plain_script(words[i])) return false;
        has_script = has_script || !more_scripts;
    }
    return has_script;
}

}  // namespace chorus::policy
