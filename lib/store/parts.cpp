#include "store/parts.hpp"

#include "store/messages.hpp"
#include "store/sqlite.hpp"
#include "sys/clock.hpp"

namespace chorus::store {
namespace {

constexpr std::int64_t longest_part_ms = 50;
constexpr int most_writes = 1000;

}  // namespace

void Parts::next() {
    if (transaction_ &&
        (++writes_ >= most_writes || sys::monotonic_ms() - began_ms_ >= longest_part_ms))
        commit();
    if (transaction_) return;
    transaction_.emplace(store_);
    began_ms_ = sys::monotonic_ms();
    writes_ = 0;
}

void Parts::commit() {
    if (transaction_) transaction_->commit();
    transaction_.reset();
}

void delete_in_parts(Store& store, AgentId agent, std::string_view of_messages,
                     std::string_view of_turns) {
    Parts parts(store);
    const auto next = [&](std::string_view table, std::string_view condition) {
        parts.next();
        return query_integer(store,
                             "SELECT id FROM " + std::string(table) + " WHERE " +
                                 std::string(condition) + " LIMIT 1",
                             agent);
    };
    while (const std::int64_t id = next("messages", of_messages)) delete_message(store, id);
    while (const std::int64_t id = next("turns", of_turns))
        run(store, "DELETE FROM turns WHERE id = ?", id);
    parts.commit();
}

}  // namespace chorus::store
