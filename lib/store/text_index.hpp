// The full-text index of messages. Updating it costs a tenth of a turn's time, so small messages
// wait until `index_batch` of them can be indexed at once; search indexes the waiting ones
// separately.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chat/message.hpp"
#include "store/store.hpp"

namespace chorus::store {

constexpr std::int64_t index_batch = 64;
// A message with more bytes, calls included, is indexed at once, so that searching the waiting ones
// stays fast.
constexpr std::size_t most_waiting_bytes = 8192;

// Called for each inserted row, inside its transaction. A message with its own id (an import) is
// indexed at once, because waiting messages have ids of the table's sequence.
void index_message(Store& store, std::int64_t id, const chat::Message& message);
// Called for each row with an id of the sequence, including copies: indexes the waiting messages
// when a batch is full.
void index_where_due(Store& store, std::int64_t id);
// Indexes every waiting message. Runs inside a transaction of the caller.
void index_waiting(Store& store);
// Called before the row is deleted, inside the same transaction.
void unindex_message(Store& store, std::int64_t id);

// Creates temp.waiting_fts for this connection, an index like messages_fts over the waiting
// messages. Returns false if none wait.
bool gather_waiting(Store& store);

}  // namespace chorus::store
