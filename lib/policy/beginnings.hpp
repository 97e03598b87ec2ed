// How the matches of a pattern begin, as far as its plain text tells. Cheap enough for every
// pattern of a profile at every start, which compiling is not. Where it is unsure it says "may
// match".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace chorus::policy {

class Beginnings {
  public:
    explicit Beginnings(std::string_view pattern);
    // False only where the pattern cannot match the whole of `text`.
    bool may_match(std::string_view text) const;
    // False only where the pattern can match no text that begins with `prefix`.
    bool may_match_below(std::string_view prefix) const;

    struct Beginning {
        std::string text;
        bool open = false;  // anything may follow; else the match is `text` itself
    };

  private:
    std::vector<Beginning> all_;
};

// True only where the pattern is plain text (alternatives allowed) followed by [\s\S]*, and matches
// every text that begins with `prefix`.
bool matches_all_below(std::string_view pattern, std::string_view prefix);

}  // namespace chorus::policy
