#include "context/import.hpp"

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "context/export_record.hpp"
#include "context/find_thread.hpp"
#include "context/import_file.hpp"
#include "context/restore.hpp"
#include "context/session.hpp"
#include "context/transcript.hpp"
#include "context/transcript_entry.hpp"
#include "store/attachments.hpp"
#include "store/believed.hpp"
#include "store/imports.hpp"
#include "store/messages.hpp"
#include "store/parts.hpp"
#include "store/sessions.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"

namespace chorus::context {
namespace {

using base::Error;
using base::ErrorCode;
using chat::Role;
using store::StoredMessage;

class Import {
  public:
    Import(store::Store& store, agent::Directory directory, const store::Agent& agent)
        : store_(store), directory_(std::move(directory)), agent_(agent), now_(sys::now_ms()) {
        const std::string own = origin_of(agent);
        store::for_each_message(store, {.agent = agent.id}, [&](const StoredMessage& stored) {
            if (!is_imported(stored)) result_.in_window = false;
            const std::string mark = identity(own, stored);
            marks_.emplace(mark, Own{stored.message.id, stored.message.turn_id});
            said_.emplace(said_key(stored), mark);
            return true;
        });
        for (const store::Session& session : store::list_sessions(store, agent.id))
            sessions_.insert(session.id);
        clock_ = store::newest_timestamp(store, agent.id);
    }
    ~Import() {
        for (const std::string& path : new_files_) unlink(path.c_str());
    }
    Import(const Import&) = delete;
    Import& operator=(const Import&) = delete;

    // Inserts in parts that readers do not see, then runs `last` in the transaction that makes them
    // visible. Files are written before the rows that refer to them.
    Imported run(const Contents& contents, std::string_view text, const std::string& name,
                 const std::function<void()>& last) {
        for (const SavedSession& session : contents.sessions) write_session(session);
        store::Parts parts(store_);
        parts.next();
        next_ = store::begin_import(store_, agent_.id, contents.messages, contents.turns);
        for_each_line(text, name, [&](const ImportLine& line) {
            parts.next();
            std::visit([this](const auto& one) { insert_line(one); }, line);
        });
        parts.commit();
        store::Transaction transaction(store_);
        end();
        last();
        transaction.commit();
        new_files_.clear();
        return result_;
    }
    const std::string& current_branch() const { return current_branch_; }

  private:
    struct Turns {
        std::int64_t count = 0;
        base::TimeMs newest = 0;
    };
    struct Own {
        std::int64_t message = 0;
        store::TurnId turn = 0;
    };
    // The calls of a thread's last answer that have no result yet.
    struct Pending {
        StoredMessage answer;
        std::vector<std::string> ids;
        bool is_known = false;
    };

    void write_session(const SavedSession& saved) {
        if (!sessions_.insert(saved.row.id).second) return;
        store::Session row = saved.row;
        if (place_session(row, agent_, directory_, saved.text))
            new_files_.push_back(directory_.path() + row.file_path.substr(agent_.dir.size()));
        rows_.push_back(std::move(row));
    }

    // Writes few rows, however many were inserted.
    void end() {
        while (!pending_.empty()) cancel_pending(pending_.begin()->first);
        store::end_import(store_, agent_.id);
        for (const std::int64_t stand_in : answered_) store::delete_message(store_, stand_in);
        if (result_.messages > 0) store::advance_timestamp(store_, agent_.id, clock_);
        for (const auto& [thread, turns] : counted_)
            store::count_imported_turns(store_, agent_.id, thread, turns.count, turns.newest);
        for (const auto& [thread, summary] : compactions_)
            store::set_compaction(store_, agent_.id, thread, summary);
        settle_threads();
        if (result_.in_window)
            store::advance_clear(store_, agent_.id, now_, own_id(cleared_until_));
        for (const AttachedFile& file : attachments_)
            store::keep_attachment(store_, agent_.id, file.sha256, file.bytes);
        for (const store::Session& row : rows_) store::insert_session(store_, row);
        result_.sessions = rows_.size();
        for (store::InboxRow& row : delivered_) {
            const store::Turn& turn = turns_.at(row.delivered_turn);
            if (turn.agent_id != agent_.id) continue;
            row.agent_id = agent_.id;
            row.thread_id = turn.thread_id;
            row.delivered_turn = turn.id;
            if (!store::is_in_inbox(store_, row)) store::insert_inbox(store_, row);
        }
        for (store::InboxRow& row : queued_) {
            row.agent_id = agent_.id;
            if (store::is_in_inbox(store_, row)) continue;
            store::insert_inbox(store_, row);
            ++result_.queued;
        }
    }

    void insert_line(const ImportedAgent& line) {
        origin_ = line.origin;
        cleared_until_ = line.cleared_until;
        current_branch_ = line.current_branch;
    }
    void insert_line(AttachedFile file) { attachments_.push_back(std::move(file)); }
    void insert_line(const SavedSession&) {}
    void insert_line(const Delivered& one) { delivered_.push_back(one.row); }
    void insert_line(const store::InboxRow& row) { queued_.push_back(row); }
    void insert_line(const EndLine&) {}

    void insert_line(const store::Thread& given) {
        const auto present = store::find_thread(store_, agent_.id, given.id);
        if (!present || present->window_start == 0) begun_.push_back(given);
        if (present) return;
        store::Thread thread = given;
        thread.agent_id = agent_.id;
        thread.created_at = std::min(thread.created_at, now_);
        thread.last_activity = std::min(thread.last_activity, now_);
        thread.window_start = thread.window_floor = 0;
        if (thread.branch.empty() || sys::is_link(directory_.branch(thread.branch)) ||
            !sys::is_directory(directory_.branch(thread.branch))) {
            thread.branch = "main";
            thread.branch_point = 0;
            if (thread.parent_thread == 0) thread.parent_thread = 1;
        }
        store::insert_imported_thread(store_, thread);
    }

    // Sets branch points and window starts: ids of messages, which are known only at the end.
    void settle_threads() {
        for (const store::Thread& wanted : begun_) {
            const auto thread = store::find_thread(store_, agent_.id, wanted.id);
            if (thread->branch_point != 0)
                store::set_branch_point(store_, agent_.id, wanted.id,
                                        std::max<std::int64_t>(own_id(wanted.branch_point), 1));
            if (!result_.in_window) continue;
            if (wanted.window_start > 1) {
                store::Thread cut = *thread;
                cut.window_start = own_id(wanted.window_start - 1) + 1;
                cut.cut_limits = wanted.cut_limits;
                store::set_cut(store_, cut);
            }
            if (wanted.window_floor > 1)
                store::set_window_floor(store_, agent_.id, wanted.id,
                                        own_id(wanted.window_floor - 1) + 1);
        }
    }

    // Returns the new id of the message with that id in the file, or of the last one before it; 0
    // if there is none.
    std::int64_t own_id(std::int64_t id_in_file) const {
        const auto next = ids_.upper_bound(id_in_file);
        return next == ids_.begin() ? 0 : std::prev(next)->second;
    }

    void insert_line(const store::Turn& turn) { turns_[turn.id] = turn; }

    // Inserts the turn's row with its first new message.
    store::TurnId turn_for(store::TurnId id) {
        if (id == 0) return 0;
        store::Turn& turn = turns_.at(id);
        if (turn.agent_id == agent_.id) return turn.id;
        turn.agent_id = agent_.id;
        turn.attempt = 0;  // its usage is counted in the home where it ran
        turn.started_at = std::min(turn.started_at, now_);
        turn.ended_at = std::clamp(turn.ended_at, std::int64_t{1}, std::max(now_, std::int64_t{1}));
        store::insert_turn(store_, turn, next_.next_turn++);
        Turns& counted = counted_[turn.thread_id];
        ++counted.count;
        counted.newest = std::max(counted.newest, turn.ended_at);
        ++result_.turns;
        return turn.id;
    }

    void insert_line(StoredMessage copy) {
        std::string mark = identity(origin_, copy);
        // a transcript has no origin
        if (!said_.empty() && !marks_.contains(mark))
            if (const auto said = said_.find(said_key(copy)); said != said_.end())
                mark = said->second;
        const bool is_result = copy.message.role == Role::tool_result;
        // a summary can be written while a turn is open
        if (!is_result && !copy.message.is_compaction) cancel_pending(copy.thread);
        if (const auto known = marks_.find(mark); known != marks_.end()) {
            pass_over(std::move(copy), mark, known->second);
            return;
        }
        const std::int64_t id_in_file = copy.message.id;
        copy.restored_from = mark;
        copy.left_out = copy.left_out || !result_.in_window || (is_result && !answers(copy));
        copy.original_timestamp = said_at(copy);
        // a time ahead of the clock would become the time of every later message;
        // the window counts from when the message entered its context, not from when it was written
        copy.message.timestamp = std::min(copy.message.timestamp, now_);
        copy.message.turn_id = turn_for(copy.message.turn_id);
        insert_copy(copy);
        if (copy.message.is_compaction && !copy.left_out)
            compactions_[copy.thread] = copy.message.id;
        marks_.emplace(mark, Own{copy.message.id, copy.message.turn_id});
        ids_.emplace(id_in_file, copy.message.id);
        ++result_.messages;
        if (!copy.left_out) expect_results(copy, false);
    }

    // The agent's clock never goes back.
    void insert_copy(StoredMessage& copy) {
        copy.message.id = next_.next_message++;
        copy.message.timestamp = clock_ = std::max(clock_, copy.message.timestamp);
        store::insert_copy(store_, agent_.id, copy);
    }

    void pass_over(StoredMessage copy, const std::string& mark, const Own& own) {
        ++result_.known;
        ids_.emplace(copy.message.id, own.message);
        // new messages of its turn join the turn that exists
        if (own.turn != 0 && copy.message.turn_id != 0) {
            store::Turn& turn = turns_.at(copy.message.turn_id);
            turn.id = own.turn;
            turn.agent_id = agent_.id;
        }
        copy.restored_from = mark;
        if (copy.message.role == Role::tool_result)
            take_expected(copy);
        else
            expect_results(copy, true);
    }

    void expect_results(const StoredMessage& answer, bool is_known) {
        if (answer.message.tool_calls.empty()) return;
        Pending& pending = pending_[answer.thread];
        pending.answer = answer;
        pending.is_known = is_known;
        for (const chat::ToolCall& call : answer.message.tool_calls) pending.ids.push_back(call.id);
    }

    // Returns the answer that the result belongs to, and removes its call from the pending ones.
    const Pending* take_expected(const StoredMessage& result) {
        const auto found = pending_.find(result.thread);
        if (found == pending_.end()) return nullptr;
        std::vector<std::string>& ids = found->second.ids;
        const auto id = std::find(ids.begin(), ids.end(), result.message.tool_call_id);
        if (id == ids.end()) return nullptr;
        ids.erase(id);
        return &found->second;
    }

    // Whether the result belongs to a pending call. If an earlier import cancelled the call, this
    // result replaces the cancelled one.
    bool answers(const StoredMessage& result) {
        const Pending* pending = take_expected(result);
        if (pending == nullptr || !pending->is_known) return pending != nullptr;
        const auto stand_in = marks_.find(
            mark_of_cancelled(pending->answer.restored_from, result.message.tool_call_id));
        if (stand_in == marks_.end()) return false;
        answered_.push_back(stand_in->second.message);
        return true;
    }

    static std::string mark_of_cancelled(const std::string& answer, const std::string& call) {
        return identity(answer + call, {});
    }

    // Adds a cancelled result for each pending call, as nothing in this home can complete it.
    void cancel_pending(store::ThreadId thread) {
        const auto found = pending_.find(thread);
        if (found == pending_.end()) return;
        const bool is_known = found->second.is_known;
        for (const std::string& id : is_known ? std::vector<std::string>{} : found->second.ids) {
            StoredMessage result = found->second.answer;
            result.restored_from = mark_of_cancelled(result.restored_from, id);
            result.message.role = Role::tool_result;
            result.message.tool_calls.clear();
            result.message.tool_call_id = id;
            result.message.is_error = true;
            result.message.content =
                "cancelled: the conversation was moved before this call had a result";
            insert_copy(result);
            ++result_.cancelled;
        }
        pending_.erase(found);
    }

    store::Store& store_;
    agent::Directory directory_;
    const store::Agent& agent_;
    base::TimeMs now_;
    Imported result_;
    std::string origin_;
    store::ImportIds next_;
    base::TimeMs clock_ = 0;          // of the agent's newest message
    std::int64_t cleared_until_ = 0;  // as an id of the file
    std::string current_branch_;
    std::map<std::string, Own> marks_;            // of every message that the agent has
    std::map<std::string, std::string> said_;     // the marks of those that it had before
    std::map<std::int64_t, std::int64_t> ids_;    // new ids by those of the file
    std::vector<store::Thread> begun_;            // as the file has them
    std::map<store::TurnId, store::Turn> turns_;  // by the file's id
    std::map<store::ThreadId, Pending> pending_;
    std::map<store::ThreadId, Turns> counted_;
    std::map<store::ThreadId, std::int64_t> compactions_;
    std::vector<std::int64_t> answered_;  // cancelled results whose real ones have come
    std::vector<store::InboxRow> delivered_;
    std::vector<store::InboxRow> queued_;
    std::vector<AttachedFile> attachments_;
    std::set<std::string> sessions_;
    std::vector<store::Session> rows_;
    std::vector<std::string> new_files_;  // removed unless the import succeeds
};

}  // namespace

Imported import_record(store::Store& store, const agent::Home& home, const store::Agent& agent,
                       std::string_view text, const std::string& name) {
    const Contents contents = contents_of(text, name);
    if (contents.messages == 0 && is_transcript(text))
        throw Error(ErrorCode::bad_request, name + ": it has no message", std::string(import_hint));
    require_no_open_turn(store, agent);
    store::discard_import(store, agent.id);
    Import import(store, home.directory(agent.dir), agent);
    return import.run(contents, text, name, [] {});
}

std::size_t bring_packed(store::Store& store, const agent::Directory& directory,
                         const store::Agent& agent) {
    const std::string name(packed_name);
    const auto text = sys::read_file_if_there(directory.path() + "/" + name, most_import_bytes);
    if (!text) return 0;
    const Contents contents = contents_of(*text, name);
    Import import(store, directory, agent);
    const auto set_current = [&] {
        if (const auto current = find_branch(store, agent, import.current_branch()))
            sys::replace_link(directory.current(), "branches/" + current->branch,
                              directory.path() + "/.tmp-current");
    };
    return import.run(contents, *text, name, set_current).messages;
}

std::size_t bring_transcript(store::Store& store, const agent::Directory& directory,
                             const store::Agent& agent, const policy::Redaction& secrets) {
    const std::string path = directory.transcript("main", 1, true);
    const auto text = sys::read_file_if_there(path, most_import_bytes);
    if (!text || !is_transcript(*text)) return 0;
    const std::string clean = secrets.without_active(*text);
    const Contents contents = contents_of(clean, path);
    Import import(store, directory, agent);
    // the next turn appends what comes after the last id in the file
    const auto renumber = [&] { write_transcript(store, directory, agent, secrets); };
    return import.run(contents, clean, path, renumber).messages;
}

bool has_message(const std::string& text, const std::string& what) {
    return is_transcript(text) && contents_of(text, what).messages > 0;
}

void remove_packed(const agent::Directory& directory) {
    unlink((directory.path() + "/" + std::string(packed_name)).c_str());
}

}  // namespace chorus::context
