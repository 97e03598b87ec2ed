// Full-text search over everything ever said, by people's words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "store/turns.hpp"

namespace chorus::store {

constexpr std::size_t most_query_bytes = 4096;
constexpr std::size_t most_query_words = 64;
// Beyond so many matches a word is too common for an order of merit to mean anything, or to be had
// at once.
constexpr std::int64_t most_ranked_matches = 10'000;

enum class SearchIn { all, prompts, answers, tools };

struct Search {
    std::string text;
    SearchIn in = SearchIn::all;
    std::string agent = {};  // by name, destroyed ones too; "": over all agents
    base::TimeMs since = 0;  // said from then on
    std::int64_t most = 20;
};

struct Found {
    std::int64_t id = 0;
    std::string agent;
    ThreadId thread = 1;
    TurnId turn_id = 0;
    std::string role;
    base::TimeMs timestamp = 0;
    // A part of its text: pieces that are what was looked for, and those around them.
    struct Piece {
        std::string text;
        bool is_hit = false;
    };
    std::vector<Piece> snippet;
};

// Returns what stands for a word in the expression; "": the word itself.
using Widen = std::function<std::string(std::string_view word)>;
// In FTS5's language, in which nothing of `text` is an operator: every word has to be there; "two
// words" side by side; word* for what begins so. Error(bad_request) where there is no word in it,
// or too much.
std::string match_expression(std::string_view text, SearchIn in, const Widen& widen = {});

// Best first; newest first where more than most_ranked_matches match.
std::vector<Found> search_messages(Store& store, const Search& search);

}  // namespace chorus::store
