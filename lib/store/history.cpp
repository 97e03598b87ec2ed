#include "store/history.hpp"

#include <deque>
#include <set>

#include "chat/stored.hpp"
#include "store/believed.hpp"
#include "store/sqlite.hpp"
#include "store/threads.hpp"
#include "store/transfer.hpp"

namespace chorus::store {
namespace {

enum class Order { oldest_first, newest_first };

// Merges the rows of several threads in order of id. An index holds each thread's rows in order; an
// index over all threads would cost a write with every message for these readers alone.
class Merged {
  public:
    Merged(Store& store, const MessageFilter& filter, std::string_view columns, Order order)
        : sign_(order == Order::oldest_first ? 1 : -1) {
        const std::string sql =
            "SELECT id, timestamp" + std::string(columns) +
            " FROM known_messages WHERE agent_id = ?1 AND thread_id = ?2 AND id > ?3 AND (?4 OR "
            "(role <> "
            "'tool_result' AND content <> '' AND (compacted_into IS NOT 0 OR restored_from LIKE '" +
            std::string(import_mark) + "%' AND extra ->> 'taken_back' IS NULL))) ORDER BY id" +
            (sign_ > 0 ? "" : " DESC");
        const auto add = [&](ThreadId thread) {
            cursors_.push_back(store.prepare(sql));
            cursors_.back()
                .bind(filter.agent)
                .bind(thread)
                .bind(filter.after)
                .bind(filter.said == Said::everything);
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
    Merged rows(store, filter, "", Order::newest_first);
    const std::int64_t too_early = first_too_early(store, filter.agent);
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t found = 0;
    while (const Statement* row = rows.next()) {
        const base::TimeMs at = row->integer(1);
        if (at < filter.since && row->integer(0) < too_early) break;
        if (at >= filter.until) continue;
        first = row->integer(0);
        if (++found == filter.newest) break;
    }
    return first - 1;
}

constexpr std::string_view message_columns =
    ", thread_id, role, turn_id, tool_call_id, restored_from, original_timestamp, compacted_into, "
    "prefix_hash, content, tool_calls, extra";
constexpr int compacted_column = 8;

SaidMessage read(const Statement& statement) {
    SaidMessage said;
    Row row(statement);
    said.message.id = row.integer();
    said.message.timestamp = row.integer();
    said.thread = row.integer();
    said.message.role = chat::parse_role(row.view());
    said.message.turn_id = row.integer();
    said.message.tool_call_id = row.text();
    said.restored_from = row.text();
    said.original_timestamp = row.integer();
    const std::int64_t left_for = row.integer();
    if (!statement.is_null(compacted_column)) said.left_for = left_for;
    said.prefix_hash = row.text();
    said.message.content = row.text();
    said.message.tool_calls = chat::load_tool_calls(row.view());
    chat::load_extra(row.view(), said.message);
    return said;
}

std::vector<TurnId> turn_ids(Store& store, const TurnFilter& filter) {
    Statement statement = store.prepare(
        "SELECT id FROM (SELECT id FROM known_turns WHERE agent_id = ?1 AND (?2 = 0 OR thread_id = "
        "?2) "
        "AND started_at >= ?3 AND started_at < ?4 ORDER BY id DESC LIMIT ?5) ORDER BY id");
    statement.bind(filter.agent)
        .bind(filter.thread)
        .bind(filter.since)
        .bind(filter.until)
        .bind(filter.newest > 0 ? filter.newest : -1);
    std::vector<TurnId> ids;
    while (statement.step()) ids.push_back(statement.integer(0));
    return ids;
}

}  // namespace

void for_each_message(Store& store, const MessageFilter& filter,
                      const std::function<bool(const SaidMessage&)>& use) {
    MessageFilter chosen = filter;
    chosen.after = before_first(store, filter);
    Merged rows(store, chosen, message_columns, Order::oldest_first);
    std::int64_t left = filter.newest;  // messages may have been added since they were counted
    while (const Statement* row = rows.next()) {
        // a timestamp that a wrong clock set ahead does not end the list
        if (row->integer(1) >= filter.until) continue;
        if (!use(read(*row)) || --left == 0) return;
    }
}

std::vector<SaidMessage> turn_messages(Store& store, TurnId turn) {
    Statement statement = store.prepare("SELECT id, timestamp" + std::string(message_columns) +
                                        " FROM known_messages WHERE turn_id = ? ORDER BY id");
    statement.bind(turn);
    std::vector<SaidMessage> messages;
    while (statement.step()) messages.push_back(read(statement));
    return messages;
}

void for_each_turn(Store& store, const TurnFilter& filter,
                   const std::function<bool(const Turn&)>& use) {
    for (const TurnId id : turn_ids(store, filter)) {
        const auto turn = find_turn(store, id);
        if (turn && !use(*turn)) return;
    }
}

std::string turn_prompt(Store& store, TurnId turn, std::int64_t most_characters) {
    Statement statement = store.prepare(
        "SELECT substr(content, 1, ?2) FROM known_messages WHERE turn_id = ?1 AND role = 'user' "
        "ORDER BY id LIMIT 1");
    return statement.bind(turn).bind(most_characters).step() ? statement.text(0) : std::string();
}

}  // namespace chorus::store
