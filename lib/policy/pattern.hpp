// One regular expression of a profile. RE2: linear time whatever the pattern, no lookaround.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace chorus::policy {

// How a match of a pattern begins.
struct Beginning {
    std::string text;
    bool open = false;  // anything may follow; else the match is `text` itself
};

// True only where the pattern is plain text (alternatives allowed) followed by [\s\S]*, and matches
// every text that begins with `prefix`.
bool matches_all_below(std::string_view pattern, std::string_view prefix);

class Pattern {
  public:
    // Compiled at the first match that its beginnings do not rule out.
    explicit Pattern(std::string text);
    ~Pattern();

    const std::string& text() const { return text_; }
    // Matches the whole of `text`; `.` does not match a newline. An invalid pattern matches
    // nothing.
    bool matches(std::string_view text) const;
    // Return false only if the pattern's plain text shows that it cannot match the whole of `text`,
    // or any text that begins with `prefix`. Unlike compiling, this is cheap enough for every
    // pattern of a profile at every start.
    bool may_match(std::string_view text) const;
    bool may_match_below(std::string_view prefix) const;
    // Matches anywhere in `text`.
    bool is_in(std::string_view text) const;
    // Returns why the pattern is invalid ("missing )"), or nothing. Compiles it.
    std::optional<std::string> fault() const;

  private:
    const re2::RE2& compiled() const;

    std::string text_;
    std::vector<Beginning> beginnings_;
    mutable std::once_flag once_;
    mutable std::unique_ptr<const re2::RE2> compiled_;
};

// The pattern that matches this text and no other: what `always` adds, with Rule::shell set.
std::string exact_pattern(std::string_view text);

}  // namespace chorus::policy
