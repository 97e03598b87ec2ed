// The full-text index of messages. Writing it costs a turn a tenth of its time, so a small message
// waits until `index_batch` of them are written at once; search reads those that wait by itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chat/message.hpp"
#include "store/store.hpp"

namespace chorus::store {

constexpr std::int64_t index_batch = 64;
// A message of more bytes, calls included, is indexed at once: searching those that wait stays
// fast.
constexpr std::size_t most_waiting_bytes = 8192;

// Called for each row that was inserted, inside its transaction. A message with an id of its own
// (an import) is indexed at once: what waits has the ids of the table's sequence.
void index_message(Store& store, std::int64_t id, const chat::Message& message);
// Called for each row with such an id, a copy included: indexes what waits when a batch is full.
void index_where_due(Store& store, std::int64_t id);
// Indexes every message that waits. Inside a transaction of the caller.
void index_waiting(Store& store);
// Called before the row is deleted, inside the transaction that does it.
void unindex_message(Store& store, std::int64_t id);

// Makes temp.waiting_fts, an index like messages_fts of the messages that wait, of this connection
// alone. False where none wait.
bool gather_waiting(Store& store);

}  // namespace chorus::store
