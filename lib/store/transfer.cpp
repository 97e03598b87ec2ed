#include "store/transfer.hpp"

#include <algorithm>

#include "store/believed.hpp"
#include "store/message_rows.hpp"

namespace chorus::store {
namespace {

void for_each_in_thread(Store& store, AgentId agent, ThreadId thread, const Extent& extent,
                        const std::function<void(StoredMessage&&)>& use) {
    Statement statement = store.prepare(
        stored_messages.select("WHERE agent_id = ? AND thread_id = ? ORDER BY id DESC"));
    statement.bind(agent, thread);
    const std::int64_t too_early = first_too_early(store, agent);
    while (statement.step()) {
        const base::TimeMs timestamp = statement.integer(timestamp_column);
        if (timestamp < extent.since && statement.integer(id_column) < too_early) return;
        if (timestamp < extent.until) use(stored_messages.read(statement));
    }
}

}  // namespace

void for_each_stored(Store& store, AgentId agent, const Extent& extent,
                     const std::function<void(StoredMessage&&)>& use) {
    for (const Thread& thread : list_threads(store, agent))
        if (extent.thread == 0 || thread.id == extent.thread)
            for_each_in_thread(store, agent, thread.id, extent, use);
}

std::vector<StoredMessage> load_messages(Store& store, AgentId agent, const Extent& extent) {
    std::vector<StoredMessage> loaded;
    for_each_stored(store, agent, extent,
                    [&](StoredMessage&& stored) { loaded.push_back(std::move(stored)); });
    std::sort(loaded.begin(), loaded.end(),
              [](const auto& a, const auto& b) { return a.message.id < b.message.id; });
    return loaded;
}

void insert_copy(Store& store, AgentId agent, const StoredMessage& copy) {
    insert_row(store, agent, copy.thread, copy.message);
    run(store,
        "UPDATE messages SET restored_from = ?, original_timestamp = ?, compacted_into = ? WHERE "
        "id = ?",
        or_null(copy.restored_from), or_null(copy.original_timestamp),
        copy.left_out ? std::optional(0) : std::nullopt, copy.message.id);
    if (copy.taken_back)
        run(store,
            "UPDATE messages SET extra = json_set(ifnull(extra, '{}'), '$.taken_back', "
            "json('true')) WHERE id = ?",
            copy.message.id);
}

}  // namespace chorus::store
