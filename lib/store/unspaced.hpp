// Words of Chinese, Japanese, Korean, Thai and other scripts that write no spaces between words or
// attach particles to them: a run of such characters is one word in the full-text index, and a user
// searches for a part of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.hpp"

namespace chorus::store {

// Most words of the index that may contain a searched one; with more the search would take too
// long.
constexpr std::size_t most_holding_words = 4096;

// Returns whether the UTF-8 text contains a character of those scripts.
bool is_unspaced(std::string_view text);

// Returns an FTS5 expression that matches each word of `term`, also as a part of an unspaced word.
// Adds the words, as the index has them, to `parts`. Returns "" if several words must be adjacent
// and none is unspaced. Error(bad_request) if more than most_holding_words match. Call it after
// gather_waiting(), which tells `has_waiting`.
std::string holding_expression(Store& store, bool has_waiting, std::string_view term,
                               std::vector<std::string>& parts);

}  // namespace chorus::store
