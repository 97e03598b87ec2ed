#include "store/unspaced.hpp"

#include <re2/re2.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

// The query is split by the same tokenizer as the index.
std::vector<std::string> words_of(Store& store, std::string_view term) {
    execute(store.handle(),
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked USING fts5(term, tokenize = 'unicode61 "
            "remove_diacritics 2');"
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked_words USING fts5vocab(temp, asked, "
            "instance);"
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.indexed_words USING fts5vocab(main, "
            "messages_fts, row);"
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.waiting_words USING fts5vocab(temp, "
            "waiting_fts, row);");
    // not through the store: temporary tables need no transaction
    execute(store.handle(), "DELETE FROM temp.asked");
    Statement(prepare(store.handle(), "INSERT INTO temp.asked (term) VALUES (?)")).bind(term).run();
    return query_texts(store, "SELECT term FROM temp.asked_words ORDER BY offset");
}

// Matches the word itself, and unspaced words that contain it.
std::string any_that_holds(Store& store, bool has_waiting, const std::string& part) {
    std::string holding = "SELECT term FROM temp.indexed_words WHERE instr(term, ?1) > 0";
    if (has_waiting)
        holding += " UNION SELECT term FROM temp.waiting_words WHERE instr(term, ?1) > 0";
    Statement statement = store.prepare(holding);
    statement.bind(part);
    std::string any = "\"" + part + "\"";
    std::size_t count = 0;
    while (statement.step()) {
        const std::string word = statement.text(0);
        if (word == part || !is_unspaced(word)) continue;
        if (++count > most_holding_words)
            throw base::Error(base::ErrorCode::bad_request,
                              "search: more than " + std::to_string(most_holding_words) +
                                  " words contain " + base::quoted(part),
                              "search for a longer part of the word");
        any += " OR \"" + word + "\"";
    }
    return "(" + any + ")";
}

}  // namespace

bool is_unspaced(std::string_view text) {
    static const re2::RE2 scripts(
        R"([\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}])");
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), scripts);
}

std::string holding_expression(Store& store, bool has_waiting, std::string_view term,
                               std::vector<std::string>& parts) {
    const std::vector<std::string> words = words_of(store, term);
    if (words.size() > 1 && !is_unspaced(term)) return {};
    std::string all;
    for (const std::string& word : words) {
        parts.push_back(word);
        all += (all.empty() ? "" : " AND ") + any_that_holds(store, has_waiting, word);
    }
    return all;
}

}  // namespace chorus::store
