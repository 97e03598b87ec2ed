#include "store/search.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/error.hpp"
#include "base/id.hpp"
#include "base/text.hpp"
#include "store/closeness.hpp"
#include "store/known.hpp"
#include "store/sqlite.hpp"
#include "store/text_index.hpp"
#include "store/unspaced.hpp"

namespace chorus::store {
namespace {

using base::Error;
using base::ErrorCode;

constexpr int snippet_words = 24;

bool is_blank(char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '\x7f';
}

// Characters that can be part of a word: letters, digits, and everything that is not ASCII.
bool has_word(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               static_cast<unsigned char>(c) >= 0x80;
    });
}

struct Term {
    std::string_view words;
    bool is_prefix = false;
};

// Takes the next term from the front of `text`; its words are "" if it holds no word.
Term take_term(std::string_view& text) {
    const bool is_quoted = text.front() == '"';
    if (is_quoted) text.remove_prefix(1);
    const auto ends = [&](char c) { return c == '"' || (!is_quoted && is_blank(c)); };
    const auto end =
        static_cast<std::size_t>(std::find_if(text.begin(), text.end(), ends) - text.begin());
    Term term{text.substr(0, end), false};
    text.remove_prefix(end);
    if (is_quoted && !text.empty()) text.remove_prefix(1);
    if (is_quoted && text.starts_with('*')) {
        term.is_prefix = true;
        text.remove_prefix(1);
    } else if (!is_quoted && term.words.ends_with('*')) {
        term.is_prefix = true;
        term.words.remove_suffix(1);
    }
    if (!has_word(term.words)) term.words = {};
    return term;
}

// Nothing has a special meaning in a quoted FTS5 string, and terms contain no quotes.
std::string quoted(const Term& term) {
    std::string text = "\"";
    for (const char c : term.words) text += is_blank(c) ? ' ' : c;
    return text + (term.is_prefix ? "\" *" : "\"");
}

Error refused(const std::string& why, const std::string& hint) {
    return {ErrorCode::bad_request, "search: " + why, hint};
}

std::int64_t count_matches(Store& store, const std::string& index, const std::string& expression,
                           std::int64_t most) {
    return query_integer(
        store,
        "SELECT count(*) FROM (SELECT 1 FROM " + index + " WHERE " + index + " MATCH ? LIMIT ?)",
        expression, most);
}

// The marks around a hit are random for each search, so that no text found can contain them.
struct Marks {
    std::string begin = "\x02" + base::random_short_id(16);
    std::string end = "\x03" + base::random_short_id(16);
};

// Marks only the searched parts, not the whole word that contains them.
void add_hit(std::vector<Found::Piece>& pieces, std::string_view text,
             const std::vector<std::string>& parts) {
    for (bool is_whole = true; !text.empty(); is_whole = false) {
        std::size_t at = text.size();
        std::size_t size = 0;
        for (const std::string& part : parts)
            if (const std::size_t found = text.find(part); found < at) {
                at = found;
                size = part.size();
            }
        if (at > 0)
            pieces.push_back(
                {base::replace_invalid_utf8(text.substr(0, at)), is_whole && size == 0});
        if (size > 0) pieces.push_back({std::string(text.substr(at, size)), true});
        text.remove_prefix(at + size);
    }
}

std::vector<Found::Piece> pieces_of(std::string_view text, const Marks& marks,
                                    const std::vector<std::string>& parts) {
    std::vector<Found::Piece> pieces;
    for (bool is_hit = false; !text.empty(); is_hit = !is_hit) {
        const std::string& mark = is_hit ? marks.end : marks.begin;
        const std::size_t at = std::min(text.find(mark), text.size());
        if (at > 0 && is_hit)
            add_hit(pieces, text.substr(0, at), parts);
        else if (at > 0)
            pieces.push_back({base::replace_invalid_utf8(text.substr(0, at)), false});
        text.remove_prefix(std::min(at + mark.size(), text.size()));
    }
    return pieces;
}

}  // namespace

std::string match_expression(std::string_view text, SearchIn in, const Widen& widen) {
    if (text.size() > most_query_bytes)
        throw refused("the query is longer than " + std::to_string(most_query_bytes) + " bytes",
                      "search for fewer words");
    const std::string valid = base::replace_invalid_utf8(text);
    std::string terms;
    std::size_t count = 0;
    bool was_wide = false;
    for (std::string_view rest = valid; !rest.empty();) {
        if (is_blank(rest.front())) {
            rest.remove_prefix(1);
            continue;
        }
        const Term term = take_term(rest);
        if (term.words.empty()) continue;
        const bool can_widen = widen && (!term.is_prefix || is_unspaced(term.words));
        const std::string wider = can_widen ? widen(term.words) : "";
        // a prefix search is covered by the search for containing words
        const char* both = wider.empty() && !was_wide ? " " : " AND ";
        was_wide = !wider.empty();
        terms += (terms.empty() ? "" : both) + (was_wide ? wider : quoted(term));
        if (++count > most_query_words)
            throw refused("the query has more than " + std::to_string(most_query_words) + " words",
                          "search for fewer words");
    }
    if (terms.empty())
        throw refused("no word in " + base::quoted(text), "words are made of letters and digits");
    constexpr std::array<std::string_view, 4> columns{"", "{prompt}", "{answer}",
                                                      "{arguments output}"};
    const std::string_view column = columns[static_cast<std::size_t>(in)];
    return column.empty() ? terms : std::string(column) + " : (" + terms + ")";
}

namespace {

enum class By { closeness, age };

// The matches of one index: best first by closeness, newest first by age.
class Matches {
  public:
    Matches(Store& store, const std::string& index, const std::string& expression,
            const Search& search, const Marks& marks, By by)
        : statement_(store.prepare(
              "SELECT message.id, a.name, message.thread_id, message.turn_id, message.role, "
              "message.timestamp, snippet(" +
              index +
              ", -1, ?2, ?3, '…', ?4), coalesce(message.original_timestamp, message.timestamp), " +
              (by == By::closeness ? index + ".rank" : "-message.id") + " FROM " + index +
              " CROSS JOIN messages AS message ON message.id = " + index +
              ".rowid CROSS JOIN agents AS a ON a.id = message.agent_id WHERE " + index +
              " MATCH ?1 AND (?5 = '' OR a.name = ?5) AND message.timestamp >= ?6 AND" +
              std::string(is_known_message) +
              (by == By::closeness
                   ? "AND " + index + ".rank MATCH 'closeness()' ORDER BY " + index + ".rank"
                   : "ORDER BY " + index + ".rowid DESC"))) {
        statement_.bind(expression, marks.begin, marks.end, snippet_words, search.agent,
                        search.since);
        next();
    }

    void next() { has_row_ = statement_.step(); }
    bool has_row() const { return has_row_; }
    double place() const { return statement_.real(8); }  // less is earlier

    // Identical for all copies that restores made of a message.
    std::string said() const {
        return statement_.text(1) + '\0' + statement_.text(4) + '\0' + statement_.text(7) + '\0' +
               statement_.text(6);
    }
    Found found(const Marks& marks, const std::vector<std::string>& parts) const {
        Found one;
        one.id = statement_.integer(0);
        one.agent = statement_.text(1);
        one.thread = statement_.integer(2);
        one.turn_id = statement_.integer(3);
        one.role = statement_.text(4);
        one.timestamp = statement_.integer(5);
        one.snippet = pieces_of(statement_.view(6), marks, parts);
        return one;
    }

  private:
    Statement statement_;
    bool has_row_ = false;
};

// With `in_runs`, words of any script are also searched inside runs of unspaced scripts: "git" in a
// Chinese "use git".
std::vector<Found> search_indexes(Store& store, const Search& search,
                                  const std::vector<std::string>& indexes, bool in_runs) {
    std::vector<std::string> parts;
    const std::string expression =
        match_expression(search.text, search.in, [&](std::string_view term) {
            if (!in_runs && !is_unspaced(term)) return std::string();
            return holding_expression(store, indexes.size() > 1, term, parts);
        });
    std::int64_t count = 0;
    for (const std::string& index : indexes)
        count += count_matches(store, index, expression, most_ranked_matches + 1);
    const By by = count <= most_ranked_matches ? By::closeness : By::age;
    if (by == By::closeness) add_closeness(store.handle());
    const Marks marks;
    std::vector<Matches> matches;
    for (const std::string& index : indexes)
        matches.emplace_back(store, index, expression, search, marks, by);
    std::vector<Found> found;
    std::set<std::string> told;
    while (static_cast<std::int64_t>(found.size()) < search.most) {
        const auto best =
            std::min_element(matches.begin(), matches.end(), [](const auto& a, const auto& b) {
                return a.has_row() && (!b.has_row() || a.place() < b.place());
            });
        if (!best->has_row()) break;
        if (told.insert(best->said()).second) found.push_back(best->found(marks, parts));
        best->next();
    }
    return found;
}

}  // namespace

std::vector<Found> search_messages(Store& store, const Search& search) {
    std::vector<std::string> indexes{"messages_fts"};
    if (gather_waiting(store)) indexes.emplace_back("waiting_fts");
    std::vector<Found> found = search_indexes(store, search, indexes, false);
    return found.empty() ? search_indexes(store, search, indexes, true) : found;
}

}  // namespace chorus::store
