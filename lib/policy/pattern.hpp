// One regular expression of a profile. RE2: linear time whatever the pattern, no lookaround.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "policy/beginnings.hpp"

namespace re2 {
class RE2;
}

namespace chorus::policy {

class Pattern {
  public:
    // Compiled at the first match that its beginnings do not rule out.
    explicit Pattern(std::string text);
    ~Pattern();

    const std::string& text() const { return text_; }
    const Beginnings& beginnings() const { return beginnings_; }
    // The whole of `text`; `.` is no newline. An invalid pattern matches nothing.
    bool matches(std::string_view text) const;
    // Anywhere in `text`.
    bool is_in(std::string_view text) const;
    // Why it is invalid, "missing )", or nothing. Compiles.
    std::optional<std::string> fault() const;

  private:
    const re2::RE2& compiled() const;

    std::string text_;
    Beginnings beginnings_;
    mutable std::once_flag once_;
    mutable std::unique_ptr<const re2::RE2> compiled_;
};

// The pattern that matches this text and no other: what `always` adds, with Rule::shell set.
std::string exact_pattern(std::string_view text);

}  // namespace chorus::policy
