#include <algorithm>
#include <array>
#include <string>

#include "base/text.hpp"
#include "sys/beneath.hpp"

namespace chorus::sys {
namespace {

// Characters that HFS+ and case-folding ext4 ignore in names, as git(1) knows them.
constexpr std::array<std::string_view, 18> ignored_characters{
    "\u00ad", "\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u202a", "\u202b", "\u202c",
    "\u202d", "\u202e", "\u2060", "\u206a", "\u206b", "\u206c", "\u206d", "\u206e", "\ufeff"};

std::string without_ignored(std::string_view name) {
    std::string plain;
    while (!name.empty()) {
        const auto ignored =
            std::find_if(ignored_characters.begin(), ignored_characters.end(),
                         [&](std::string_view character) { return name.starts_with(character); });
        if (ignored == ignored_characters.end()) plain += name.front();
        name.remove_prefix(ignored == ignored_characters.end() ? 1 : ignored->size());
    }
    return plain;
}

}  // namespace

bool is_git_name(std::string_view component) {
    // Called for every file of an index, so most names are rejected by their first byte: ".git",
    // "git~1" and the ignored characters start with these.
    const auto first = static_cast<unsigned char>(component.empty() ? 'x' : component.front());
    if (first != '.' && first != 'g' && first != 'G' && first < 0x80) return false;
    std::string name = base::to_lower_ascii(without_ignored(component));
    name.erase(std::min(name.find(':'), name.size()));
    while (!name.empty() && (name.back() == '.' || name.back() == ' ')) name.pop_back();
    return name == ".git" || name == "git~1";
}

}  // namespace chorus::sys
