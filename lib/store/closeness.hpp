// An FTS5 ranking function for search; for this room's own use.
#pragma once

struct sqlite3;

namespace chorus::store {

// Registers closeness() with the connection: BM25 without the weight for rare words, because every
// match contains all words of the search. FTS5's own bm25() first visits every row that holds any
// of the words, which for a common word takes longer than the search itself.
void add_closeness(sqlite3* database);

}  // namespace chorus::store
