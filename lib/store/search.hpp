// Full-text search over all messages, with queries as users type them.
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
// With more matches the words are too common for a useful ranking, and ranking would be slow.
constexpr std::int64_t most_ranked_matches = 10'000;

enum class SearchIn { all, prompts, answers, tools };

struct Search {
    std::string text;
    SearchIn in = SearchIn::all;
    std::string agent = {};  // by name, destroyed ones too; "": all agents
    base::TimeMs since = 0;  // written from then on
    std::int64_t most = 20;
};

struct Found {
    std::int64_t id = 0;
    std::string agent;
    ThreadId thread = 1;
    TurnId turn_id = 0;
    std::string role;
    base::TimeMs timestamp = 0;
    // A part of the message's text: pieces that matched, and those around them.
    struct Piece {
        std::string text;
        bool is_hit = false;
    };
    std::vector<Piece> snippet;
};

// Returns the expression that replaces a word; "": the word itself.
using Widen = std::function<std::string(std::string_view word)>;
// Returns an FTS5 expression; nothing in `text` acts as an operator. Every word must occur; "two
// words" must be adjacent; word* matches a prefix. Error(bad_request) if there is no word or the
// query is too long.
std::string match_expression(std::string_view text, SearchIn in, const Widen& widen = {});

// Returns matches best first; newest first if there are more than most_ranked_matches.
std::vector<Found> search_messages(Store& store, const Search& search);

}  // namespace chorus::store
