#include <cwctype>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "sys/beneath.hpp"

namespace chorus::sys {
namespace {

constexpr std::size_t npos = std::string_view::npos;

// Returns the character at `position` and moves `position` behind it. A byte that starts no
// character counts as one.
char32_t take_character(std::string_view text, std::size_t& position) {
    const auto first = static_cast<unsigned char>(text[position]);
    const base::Decoded next =
        first < 0x80 ? base::Decoded{first, 1, true} : base::decode(text.substr(position));
    position += next.valid ? next.size : 1;
    return next.valid ? next.code_point : 0x110000U + first;
}

bool in_named_class(const std::string& name, char32_t character) {
    return character < 0x80 && std::iswctype(character, std::wctype(name.c_str())) != 0;
}

// Parses "[:alpha:]" at `position` and moves `position` behind it.
std::optional<std::string> take_class_name(std::string_view pattern, std::size_t& position) {
    if (!pattern.substr(position).starts_with("[:")) return std::nullopt;
    const std::size_t end = pattern.find(":]", position + 2);
    if (end == npos) return std::nullopt;
    const std::string name(pattern.substr(position + 2, end - position - 2));
    position = end + 2;
    return name;
}

char32_t take_member(std::string_view pattern, std::size_t& position) {
    if (pattern[position] == '\\' && position + 1 < pattern.size()) ++position;
    return take_character(pattern, position);
}

// Whether the class that starts at `position` holds the character; moves `position` behind its ']'.
// Returns nothing and keeps `position` where no ']' ends it: then '[' is literal.
std::optional<bool> take_class(std::string_view pattern, std::size_t& position,
                               char32_t character) {
    std::size_t at = position + 1;
    const bool negated = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
    if (negated) ++at;
    bool holds = false;
    for (bool first = true; at < pattern.size(); first = false) {
        if (pattern[at] == ']' && !first) {
            position = at + 1;
            return holds != negated;
        }
        if (const auto name = take_class_name(pattern, at)) {
            holds = holds || in_named_class(*name, character);
            continue;
        }
        const char32_t low = take_member(pattern, at);
        char32_t high = low;
        if (at + 1 < pattern.size() && pattern[at] == '-' && pattern[at + 1] != ']') {
            ++at;
            high = take_member(pattern, at);
        }
        holds = holds || (low <= character && character <= high);
    }
    return std::nullopt;
}

// Backtracks to the last * that can still grow, else to the last **. An earlier star needs no
// retry: with the leftmost match of what lies between, a later star has every choice that the
// earlier one could give it.
class Match {
  public:
    Match(std::string_view pattern, std::string_view path) : pattern_(pattern), path_(path) {}

    bool run() {
        for (;;) {
            if (in_pattern_ < pattern_.size() && pattern_[in_pattern_] == '*')
                begin_star();
            else if (in_pattern_ == pattern_.size() && in_path_ == path_.size())
                return true;
            else if (!step() && !go_back())
                return false;
        }
    }

  private:
    struct Star {
        std::size_t pattern = npos;  // in the pattern, behind the star
        std::size_t path = 0;        // in the path, where the rest of the pattern is tried
        bool whole_components = false;
    };

    bool at_component() const { return in_pattern_ == 0 || pattern_[in_pattern_ - 1] == '/'; }

    void begin_star() {
        const bool component = at_component();
        std::size_t end = pattern_.find_first_not_of('*', in_pattern_);
        if (end == npos) end = pattern_.size();
        const bool any = end - in_pattern_ > 1;
        const bool crosses = any && component && end < pattern_.size() && pattern_[end] == '/';
        in_pattern_ = end + (crosses ? 1 : 0);
        star_ = any ? Star{} : Star{in_pattern_, in_path_};
        if (any) any_ = {in_pattern_, in_path_, crosses};
    }

    // Matches one character.
    bool step() {
        if (in_pattern_ >= pattern_.size() || in_path_ >= path_.size()) return false;
        std::size_t path = in_path_;
        const char32_t character = take_character(path_, path);
        std::size_t pattern = in_pattern_;
        if (!takes(character, pattern)) return false;
        in_pattern_ = pattern;
        in_path_ = path;
        return true;
    }

    bool takes(char32_t character, std::size_t& pattern) const {
        if (pattern_[pattern] == '?') {
            ++pattern;
            return character != U'/';
        }
        if (pattern_[pattern] == '[')
            if (const auto holds = take_class(pattern_, pattern, character))
                return *holds && character != U'/';
        return take_member(pattern_, pattern) == character;
    }

    bool go_back() {
        if (star_.pattern != npos && star_.path < path_.size() && path_[star_.path] != '/') {
            take_character(path_, star_.path);
            return restart(star_);
        }
        star_ = {};
        if (any_.pattern == npos || any_.path >= path_.size()) return false;
        if (!any_.whole_components) {
            take_character(path_, any_.path);
            return restart(any_);
        }
        const std::size_t slash = path_.find('/', any_.path);
        if (slash == npos) return false;
        any_.path = slash + 1;
        return restart(any_);
    }

    bool restart(const Star& star) {
        in_pattern_ = star.pattern;
        in_path_ = star.path;
        return true;
    }

    std::string_view pattern_;
    std::string_view path_;
    std::size_t in_pattern_ = 0;
    std::size_t in_path_ = 0;
    Star star_;
    Star any_;
};

}  // namespace

bool has_unclosed_class(std::string_view pattern) {
    for (std::size_t at = 0; at < pattern.size();) {
        if (pattern[at] == '[') {
            if (!take_class(pattern, at, U'\0')) return true;
        } else {
            at += pattern[at] == '\\' ? 2 : 1;
        }
    }
    return false;
}

bool glob_matches(std::string_view pattern, std::string_view path) {
    return Match(pattern, path).run();
}

}  // namespace chorus::sys
