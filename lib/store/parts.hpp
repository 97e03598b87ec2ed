// Splits a long write into short transactions, so that other processes pass the gate in between. It
// is not atomic: readers must ignore a partial result.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "store/agents.hpp"

namespace chorus::store {

class Parts {
  public:
    explicit Parts(Store& store) : store_(store) {}
    // Call before each group of writes that belong together. Opens a transaction if none is open,
    // and commits the open one first if it has become long.
    void next();
    // Commits the rest; without it the rest is rolled back.
    void commit();

  private:
    Store& store_;
    std::optional<Transaction> transaction_;
    std::int64_t began_ms_ = 0;
    int writes_ = 0;
};

// Deletes the messages, with their full-text rows, and the turns for which the conditions hold; the
// conditions' parameter is the agent. Must be called outside a transaction.
void delete_in_parts(Store& store, AgentId agent, std::string_view of_messages,
                     std::string_view of_turns);

}  // namespace chorus::store
