// Words of Chinese, Japanese, Korean, Thai and other scripts that put no spaces between them or
// add to a word what it does: a run of such characters is one word of the full-text index, and what
// people look for is a part of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.hpp"

namespace chorus::store {

// Words of the index that hold one that is looked for; of more the search would take too long.
constexpr std::size_t most_holding_words = 4096;

// Whether it holds a character of those scripts. UTF-8.
bool is_unspaced(std::string_view text);

// For one search, after gather_waiting().
class Vocabulary {
  public:
    Vocabulary(Store& store, bool has_waiting);

    // In FTS5's language: what holds each word of `term`, as a part of an unspaced one. Adds the
    // words, as the index has them, to `parts`. "" where several words are to stand side by side
    // and none is unspaced. Error(bad_request) for more than
    // most_holding_words.
    std::string expression(std::string_view term, std::vector<std::string>& parts);

  private:
    std::vector<std::string> words_of(std::string_view term);
    std::string any_that_holds(const std::string& part);

    Store& store_;
    std::string holding_;  // the statement that finds them
};

}  // namespace chorus::store
