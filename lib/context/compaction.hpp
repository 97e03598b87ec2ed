// Earlier messages of a window put into one that stands for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chat/message.hpp"
#include "store/sessions.hpp"
#include "store/threads.hpp"

namespace chorus::context {

// How many messages of a window, as cut_window gives it, are its older half by size: up to a
// message that starts a turn. 0 where there is but one turn.
std::size_t older_half(const std::vector<chat::Message>& window);

// A message of the user that starts a turn and says what it is.
chat::Message compaction_message(std::size_t messages, const std::string& summary);

// In one transaction: the row of the session in which they are saved, the message, and that it
// stands for them: what a limit had left out before them does not come back. The thread's prefix
// hashes are made anew with the next turn.
void write_compaction(store::Store& store, store::Thread& thread,
                      const std::vector<chat::Message>& replaced, const chat::Message& message,
                      const store::Session& saved);

}  // namespace chorus::context
