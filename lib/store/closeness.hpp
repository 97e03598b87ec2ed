// How well a message answers a search, as a function of FTS5's; for this room's own use.
#pragma once

struct sqlite3;

namespace chorus::store {

// Makes closeness() known to the connection: BM25 without the weight of how rare each word is, as
// every message that is found has all of them. FTS5's own bm25() first goes through every row that
// holds any of the words, which for a common one takes longer than the search.
void add_closeness(sqlite3* database);

}  // namespace chorus::store
