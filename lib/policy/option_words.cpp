#include "policy/option_words.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace chorus::policy {
namespace {

bool meets(std::string_view word, std::string_view option) {
    if (option.empty()) return false;
    const std::string_view name = word.substr(0, word.find('='));
    if (option.starts_with("--")) return name.size() > 2 && option.starts_with(name);
    if (option.size() == 2 && option.front() == '-')
        return word.starts_with('-') && !word.starts_with("--") &&
               word.find(option[1]) != std::string_view::npos;
    return name == option;
}

}  // namespace

bool is_option_of(std::string_view word, std::string_view options) {
    const auto all = base::split(options, ' ');
    return std::any_of(all.begin(), all.end(),
                       [&](std::string_view option) { return meets(word, option); });
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

}  // namespace chorus::policy
