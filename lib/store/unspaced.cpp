#include "store/unspaced.hpp"

#include <re2/re2.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {

bool is_unspaced(std::string_view text) {
    static const re2::RE2 scripts(
        R"([\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}])");
    return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), scripts);
}

// The query is split by the same tokenizer as the index.
Vocabulary::Vocabulary(Store& store, bool has_waiting) : store_(store) {
    execute(store.handle(),
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked USING fts5(term, tokenize = 'unicode61 "
            "remove_diacritics 2');"
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.asked_words USING fts5vocab(temp, asked, "
            "instance);"
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.indexed_words USING fts5vocab(main, "
            "messages_fts, row);"
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.waiting_words USING fts5vocab(temp, "
            "waiting_fts, row);");
    holding_ = "SELECT term FROM temp.indexed_words WHERE instr(term, ?1) > 0";
    if (has_waiting)
        holding_ += " UNION SELECT term FROM temp.waiting_words WHERE instr(term, ?1) > 0";
}

std::vector<std::string> Vocabulary::words_of(std::string_view term) {
    // not through the store: temporary tables need no transaction
    execute(store_.handle(), "DELETE FROM temp.asked");
    Statement(prepare(store_.handle(), "INSERT INTO temp.asked (term) VALUES (?)"))
        .bind(term)
        .run();
    return query_texts(store_, "SELECT term FROM temp.asked_words ORDER BY offset");
}

// Matches the word itself, and unspaced words that contain it.
std::string Vocabulary::any_that_holds(const std::string& part) {
    Statement statement = store_.prepare(holding_);
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

std::string Vocabulary::expression(std::string_view term, std::vector<std::string>& parts) {
    const std::vector<std::string> words = words_of(term);
    if (words.size() > 1 && !is_unspaced(term)) return {};
    std::string all;
    for (const std::string& word : words) {
        parts.push_back(word);
        all += (all.empty() ? "" : " AND ") + any_that_holds(word);
    }
    return all;
}

}  // namespace chorus::store
