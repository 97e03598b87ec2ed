// Compaction: replaces the earlier messages of a window with one summary.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "chat/message.hpp"
#include "store/sessions.hpp"
#include "store/threads.hpp"

namespace chorus::context {

// Returns how many messages of a window, as cut_window returns it, make up its older half by size.
// The half ends before a message that starts a turn. 0 if there is only one turn.
std::size_t older_half(const std::vector<chat::Message>& window);

// Returns a user message that starts a turn and says that it is a summary.
chat::Message compaction_message(std::size_t messages, const std::string& summary);

// Writes in one transaction the row of the session that holds the replaced messages, the summary
// and the replacement itself. Messages that a limit had left out before do not come back. The next
// turn computes the thread's prefix hashes again.
void write_compaction(store::Store& store, store::Thread& thread,
                      const std::vector<chat::Message>& replaced, const chat::Message& message,
                      const store::Session& saved);

}  // namespace chorus::context
