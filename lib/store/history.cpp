#include "store/history.hpp"

#include <deque>
#include <set>

#include "store/agent_tree.hpp"
#include "store/believed.hpp"
#include "store/known.hpp"
#include "store/message_rows.hpp"
#include "store/threads.hpp"

namespace chorus::store {
namespace {

enum class Order { oldest_first, newest_first };

// Merges the rows of several threads in order of id. An index holds each thread's rows in order; an
// index over all threads would cost a write with every message for these readers alone. Newest
// first, rows have only id and timestamp.
class Merged {
  public:
    Merged(Store& store, const MessageFilter& filter, Order order)
        : sign_(order == Order::oldest_first ? 1 : -1) {
        const std::string rest =
            "agent_id = ?1 AND thread_id = ?2 AND id > ?3 AND (?4 OR (role <> 'tool_result' "
            "AND content <> '' AND (compacted_into IS NOT 0 OR restored_from LIKE '" +
            std::string(import_mark) + "%' AND extra ->> 'taken_back' IS NULL))) ORDER BY id";
        const std::string sql = order == Order::oldest_first
                                    ? stored_messages.select("WHERE " + rest)
                                    : "SELECT id, timestamp" + known_messages() + rest + " DESC";
        const auto add = [&](ThreadId thread) {
            cursors_.push_back(store.prepare(sql));
            cursors_.back().bind(filter.agent, thread, filter.after,
                                 filter.said == Said::everything);
            advance(cursors_.size() - 1);
        };
        if (filter.thread != 0)
            add(filter.thread);
        else
            for (const Thread& thread : list_threads(store, filter.agent)) add(thread.id);
    }

    // The row is valid until the next call; nullptr at the end.
    const Statement* next() {
        if (given_) advance(*given_);
        given_.reset();
        if (heads_.empty()) return nullptr;
        given_ = heads_.begin()->second;
        heads_.erase(heads_.begin());
        return &cursors_[*given_];
    }

  private:
    void advance(std::size_t index) {
        if (cursors_[index].step()) heads_.emplace(sign_ * cursors_[index].integer(0), index);
    }

    std::int64_t sign_;
    std::deque<Statement> cursors_;
    std::set<std::pair<std::int64_t, std::size_t>> heads_;
    std::optional<std::size_t> given_;
};

// Returns the id before the first wanted message. Timestamps of an agent rise with the ids, so the
// walk back from the end can stop at the first older one, except for times that are too early
// (store/believed.hpp).
std::int64_t before_first(Store& store, const MessageFilter& filter) {
    if (filter.since <= 0 && filter.newest <= 0) return filter.after;
    Merged rows(store, filter, Order::newest_first);
    const std::int64_t too_early = first_too_early(store, filter.agent);
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t found = 0;
    while (const Statement* row = rows.next()) {
        const base::TimeMs at = row->integer(timestamp_column);
        if (at < filter.since && row->integer(id_column) < too_early) break;
        if (at >= filter.until) continue;
        first = row->integer(id_column);
        if (++found == filter.newest) break;
    }
    return first - 1;
}

std::vector<TurnId> turn_ids(Store& store, const TurnFilter& filter) {
    const std::string of_agents = filter.with_sub_agents
                                      ? "agent_id IN (SELECT id FROM agents WHERE id = ?1 OR "
                                        "(parent_turn IS NULL AND id IN " +
                                            agent_tree("SELECT ?1") + "))"
                                      : "agent_id = ?1";
    return query_integers(store,
                          "SELECT id FROM (SELECT id FROM turns AS turn WHERE" +
                              std::string(is_known_turn) + "AND " + of_agents +
                              " AND thread_id < ?6 AND (?2 = 0 OR thread_id = ?2) AND "
                              "started_at >= ?3 AND started_at < ?4 ORDER BY id "
                              "DESC LIMIT ?5) ORDER BY id",
                          filter.agent, filter.thread, filter.since, filter.until,
                          filter.newest > 0 ? filter.newest : -1, first_ephemeral_thread);
}

}  // namespace

void for_each_message(Store& store, const MessageFilter& filter,
                      const std::function<bool(StoredMessage&&)>& use) {
    MessageFilter chosen = filter;
    chosen.after = before_first(store, filter);
    Merged rows(store, chosen, Order::oldest_first);
    std::int64_t left = filter.newest;  // messages may have been added since they were counted
    while (const Statement* row = rows.next()) {
        // a timestamp that a wrong clock set ahead does not end the list
        if (row->integer(timestamp_column) >= filter.until) continue;
        if (!use(stored_messages.read(*row)) || --left == 0) return;
    }
}

std::vector<StoredMessage> load_messages(Store& store, const MessageFilter& filter) {
    std::vector<StoredMessage> loaded;
    for_each_message(store, filter, [&](StoredMessage&& one) {
        loaded.push_back(std::move(one));
        return true;
    });
    return loaded;
}

std::vector<StoredMessage> turn_messages(Store& store, TurnId turn) {
    return stored_messages.all(store, "WHERE turn_id = ? ORDER BY id", turn);
}

void for_each_turn(Store& store, const TurnFilter& filter,
                   const std::function<bool(const Turn&)>& use) {
    for (const TurnId id : turn_ids(store, filter)) {
        const auto turn = find_turn(store, id);
        if (turn && !use(*turn)) return;
    }
}

std::vector<TurnId> turns_spawned_by(Store& store, TurnId turn) {
    return query_integers(store,
                          "SELECT turns.id FROM agents JOIN turns ON turns.agent_id = agents.id "
                          "WHERE agents.parent_turn = ? ORDER BY turns.id",
                          turn);
}

std::string turn_prompt(Store& store, TurnId turn, std::int64_t most_characters) {
    return query_text(store,
                      "SELECT substr(content, 1, ?2)" + known_messages() +
                          "turn_id = ?1 AND role = 'user' ORDER BY id LIMIT 1",
                      turn, most_characters);
}

}  // namespace chorus::store
