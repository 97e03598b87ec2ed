// A long write in short transactions, so that others pass the gate in between. It is not all or
// nothing: what is half done must be nothing to those who read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "store/agents.hpp"

namespace chorus::store {

class Parts {
  public:
    explicit Parts(Store& store) : store_(store) {}
    // Before each write that belongs together: a transaction is open then, a new one where the last
    // is long enough.
    void next();
    // The rest. Without it that is rolled back.
    void commit();

  private:
    Store& store_;
    std::optional<Transaction> transaction_;
    std::int64_t began_ms_ = 0;
    int writes_ = 0;
};

// Deletes messages, with what search knows of them, and turns of which these conditions hold; their
// parameter is the agent. Outside a transaction.
void delete_in_parts(Store& store, AgentId agent, std::string_view messages,
                     std::string_view turns);

}  // namespace chorus::store
