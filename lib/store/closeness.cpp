#include "store/closeness.hpp"

#include <sqlite3.h>

#include <vector>

#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

constexpr double saturation = 1.2;      // BM25 k1: the weight of repeated hits
constexpr double length_weight = 0.75;  // BM25 b
constexpr double usual_words = 100;     // a constant, so that ranks of two indexes compare

// A smaller value is better, as with FTS5's rank.
void closeness(const Fts5ExtensionApi* api, Fts5Context* row, sqlite3_context* result, int,
               sqlite3_value**) {
    int hits = 0;
    int words = 0;
    int code = api->xInstCount(row, &hits);
    if (code == SQLITE_OK) code = api->xColumnSize(row, -1, &words);
    std::vector<int> counts(static_cast<std::size_t>(api->xPhraseCount(row)));
    for (int i = 0; code == SQLITE_OK && i < hits; ++i) {
        int phrase = 0;
        int column = 0;
        int offset = 0;
        code = api->xInst(row, i, &phrase, &column, &offset);
        if (code == SQLITE_OK) ++counts[static_cast<std::size_t>(phrase)];
    }
    if (code != SQLITE_OK) return sqlite3_result_error_code(result, code);
    const double length =
        1 - length_weight + length_weight * static_cast<double>(words) / usual_words;
    double score = 0;
    for (const int count : counts)
        score += count * (saturation + 1) / (count + saturation * length);
    sqlite3_result_double(result, -score);
}

}  // namespace

void add_closeness(sqlite3* database) {
    fts5_api* api = nullptr;
    const Prepared statement = prepare(database, "SELECT fts5(?1)");
    sqlite3_bind_pointer(statement.get(), 1, static_cast<void*>(&api), "fts5_api_ptr", nullptr);
    const int code = sqlite3_step(statement.get());
    if (api == nullptr) throw_error(database, code);
    const int made = api->xCreateFunction(api, "closeness", nullptr, closeness, nullptr);
    if (made != SQLITE_OK) throw_error(database, made);
}

}  // namespace chorus::store
