#include "context/import.hpp"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "context/import_line.hpp"
#include "context/record.hpp"
#include "context/session.hpp"
#include "store/sessions.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"

namespace chorus::context {
namespace {

using base::Error;
using base::ErrorCode;
using chat::Role;
using store::StoredMessage;

constexpr std::size_t most_slug_bytes = 48;

// The lines one after the other, and that each stands where it may.
class Lines {
  public:
    Lines(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    template <typename Use>
    void for_each(Use use) {
        while (!text_.empty()) {
            ++number_;
            const std::size_t end = text_.find('\n');
            ImportLine line = parse_import_line(text_.substr(0, end), place());
            text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
            check(line);
            use(line);
        }
        if (number_ == 0) throw Error(ErrorCode::bad_request, name_ + ": it is empty");
        if (!ended_)
            throw Error(ErrorCode::bad_request,
                        place() + ": the file ends behind it, without its last line",
                        "it was cut off: export it again");
    }

  private:
    std::string place() const { return name_ + ": line " + std::to_string(number_); }
    void require(bool holds, const std::string& why) const {
        if (!holds) throw Error(ErrorCode::bad_request, place() + ": " + why);
    }

    void check(const ImportLine& line) {
        require(!ended_, "there is a line behind the last one");
        require((number_ == 1) == std::holds_alternative<AgentLine>(line),
                number_ == 1 ? "it is not the line of an agent" : "a second agent");
        std::visit([this](const auto& one) { check_line(one); }, line);
    }
    void check_line(const AgentLine&) {}
    void check_line(const ThreadLine& line) {
        require(threads_.insert(line.thread.id).second, "the thread stands twice");
    }
    void check_line(const TurnLine& line) {
        require(threads_.count(line.turn.thread_id) > 0, "no line says what thread it is of");
        require(turns_.emplace(line.turn.id, line.turn.thread_id).second, "the turn stands twice");
    }
    void check_line(const MessageLine& line) {
        const chat::Message& message = line.stored.message;
        require(message.id > newest_, "its id is not greater than that of the one before");
        require(threads_.count(line.stored.thread) > 0, "no line says what thread it is of");
        const auto turn = turns_.find(message.turn_id);
        require(message.turn_id == 0 || turn != turns_.end(), "no line says what turn it is of");
        require(message.turn_id == 0 || turn->second == line.stored.thread,
                "its turn is of another thread");
        newest_ = message.id;
        ++messages_;
    }
    void check_line(const SessionLine& line) {
        require(sessions_.insert(line.id).second, "the session stands twice");
    }
    void check_line(const EndLine& line) {
        const auto agree = [&](std::int64_t said, std::size_t found, const char* what) {
            require(said == static_cast<std::int64_t>(found),
                    "there should be " + std::to_string(said) + " " + what + ", not " +
                        std::to_string(found));
        };
        agree(line.threads, threads_.size(), "threads");
        agree(line.turns, turns_.size(), "turns");
        agree(line.messages, messages_, "messages");
        agree(line.sessions, sessions_.size(), "sessions");
        ended_ = true;
    }

    std::string_view text_;
    const std::string& name_;
    std::size_t number_ = 0;
    bool ended_ = false;
    std::int64_t newest_ = 0;
    std::size_t messages_ = 0;
    std::set<store::ThreadId> threads_;
    std::map<store::TurnId, store::ThreadId> turns_;
    std::set<std::string> sessions_;
};

// Files that go again unless they are kept.
class NewFiles {
  public:
    NewFiles() = default;
    ~NewFiles() {
        for (const std::string& path : paths_) unlink(path.c_str());
    }
    NewFiles(const NewFiles&) = delete;
    NewFiles& operator=(const NewFiles&) = delete;
    void add(std::string path) { paths_.push_back(std::move(path)); }
    void keep() { paths_.clear(); }

  private:
    std::vector<std::string> paths_;
};

class Import {
  public:
    Import(store::Store& store, const agent::Home& home, const store::Agent& agent)
        : store_(store), home_(home), agent_(agent), now_(sys::now_ms()) {
        const std::string own = origin_of(agent);
        store::for_each_stored(store, agent.id, {}, [&](StoredMessage&& stored) {
            if (!is_imported(stored)) result_.in_window = false;
            marks_.insert(identity(own, stored));
        });
        for (const store::Session& session : store::list_sessions(store, agent.id))
            sessions_.insert(session.id);
    }

    // Before the transaction: files first, then the rows that refer to them.
    void write_session(const SessionLine& line);
    void insert(const ImportLine& line) {
        std::visit([this](const auto& one) { insert_line(one); }, line);
    }
    void insert_rest() {
        while (!pending_.empty()) cancel_pending(pending_.begin()->first);
        for (const store::Session& row : rows_) store::insert_session(store_, row);
        result_.sessions = rows_.size();
    }
    Imported finish() {
        files_.keep();
        return result_;
    }

  private:
    // The calls of a thread's last answer that have no result yet.
    struct Pending {
        StoredMessage answer;
        std::vector<std::string> ids;
    };

    void insert_line(const AgentLine& line) { origin_ = line.origin; }
    void insert_line(const SessionLine&) {}
    void insert_line(const EndLine&) {}

    void insert_line(const ThreadLine& line) {
        if (store::find_thread(store_, agent_.id, line.thread.id)) return;
        store::Thread thread = line.thread;
        const agent::Directory directory(home_.path() + "/" + agent_.dir);
        thread.agent_id = agent_.id;
        thread.created_at = std::min(thread.created_at, now_);
        thread.last_activity = std::min(thread.last_activity, now_);
        if (thread.branch.empty() || sys::is_link(directory.branch(thread.branch)) ||
            !sys::is_directory(directory.branch(thread.branch)))
            thread.branch = "main";
        store::insert_thread(store_, thread);
    }

    void insert_line(const TurnLine& line) { turns_[line.turn.id] = line.turn; }

    // Its row is made with the first message of it that is new.
    store::TurnId turn_for(store::TurnId id) {
        if (id == 0) return 0;
        store::Turn& turn = turns_.at(id);
        if (turn.agent_id == agent_.id) return turn.id;
        turn.agent_id = agent_.id;
        turn.started_at = std::min(turn.started_at, now_);
        turn.ended_at = std::clamp(turn.ended_at, std::int64_t{1}, std::max(now_, std::int64_t{1}));
        store::insert_turn(store_, turn);
        store::count_turn(store_, turn, turn.ended_at);
        ++result_.turns;
        return turn.id;
    }

    void insert_line(const MessageLine& line) {
        StoredMessage copy = line.stored;
        const std::string mark = identity(origin_, copy);
        const bool is_result = copy.message.role == Role::tool_result;
        if (!is_result) cancel_pending(copy.thread);
        if (!marks_.insert(mark).second) {
            ++result_.known;
            return;
        }
        copy.restored_from = mark;
        copy.left_out = copy.left_out || !result_.in_window || (is_result && !answers(copy));
        copy.original_timestamp = said_at(copy);
        // what lies ahead of the clock would hold back all that is said from now on
        copy.message.timestamp = std::min(copy.original_timestamp, now_);
        copy.message.turn_id = turn_for(copy.message.turn_id);
        copy.message.id = store::insert_copy(store_, agent_.id, copy);
        ++result_.messages;
        if (!copy.left_out) expect_results(copy);
    }

    void expect_results(const StoredMessage& answer) {
        if (answer.message.tool_calls.empty()) return;
        Pending& pending = pending_[answer.thread];
        pending.answer = answer;
        for (const chat::ToolCall& call : answer.message.tool_calls) pending.ids.push_back(call.id);
    }

    bool answers(const StoredMessage& result) {
        const auto found = pending_.find(result.thread);
        if (found == pending_.end()) return false;
        std::vector<std::string>& ids = found->second.ids;
        const auto id = std::find(ids.begin(), ids.end(), result.message.tool_call_id);
        if (id == ids.end()) return false;
        ids.erase(id);
        return true;
    }

    // What asked has nobody to decide it here.
    void cancel_pending(store::ThreadId thread) {
        const auto found = pending_.find(thread);
        if (found == pending_.end()) return;
        for (const std::string& id : found->second.ids) {
            StoredMessage result = found->second.answer;
            result.restored_from = identity(result.restored_from + id, {});
            result.message.role = Role::tool_result;
            result.message.tool_calls.clear();
            result.message.tool_call_id = id;
            result.message.is_error = true;
            result.message.content =
                "cancelled: the conversation was moved before this call had a result";
            store::insert_copy(store_, agent_.id, result);
            ++result_.cancelled;
        }
        pending_.erase(found);
    }

    std::string put_in_place(const store::Session& row, const std::string& text);

    store::Store& store_;
    const agent::Home& home_;
    const store::Agent& agent_;
    base::TimeMs now_;
    Imported result_;
    std::string origin_;
    std::set<std::string> marks_;                 // of every message that the agent has
    std::map<store::TurnId, store::Turn> turns_;  // by the file's id
    std::map<store::ThreadId, Pending> pending_;
    std::set<std::string> sessions_;
    std::vector<store::Session> rows_;
    NewFiles files_;
};

void Import::write_session(const SessionLine& line) {
    if (!sessions_.insert(line.id).second) return;
    store::Session row = session_row(line.file.head, line.file.messages.size());
    row.id = line.id;
    row.agent_id = agent_.id;
    row.sha256 = base::sha256_hex(line.text);
    row.file_path = put_in_place(row, line.text);
    rows_.push_back(std::move(row));
}

// Relative to the home. What an import that was killed wrote is there already.
std::string Import::put_in_place(const store::Session& row, const std::string& text) {
    const std::string sessions = agent::Directory(agent_.dir).sessions();
    const std::string directory = home_.path() + "/" + sessions;
    if (!sys::is_directory(directory)) sys::make_directory(directory);
    const std::string slug = base::slug(row.description, most_slug_bytes);
    const std::string stem =
        base::iso8601(row.saved_at).substr(0, 10) + "_" + (slug.empty() ? "session" : slug);
    const std::string short_id = base::slug(row.id, 8);
    for (const std::string& end : {std::string(), "-" + short_id, "-" + row.sha256.substr(0, 16)}) {
        const std::string name = stem + end + ".json";
        const std::string path = directory + "/" + name;
        if (sys::write_file_if_free(path, text)) {
            files_.add(path);
            return sessions + "/" + name;
        }
        if (sys::read_file(path, base::limits::session_bytes) == text) return sessions + "/" + name;
    }
    throw Error(ErrorCode::failed, directory + "/" + stem + ".json: the name is taken");
}

void refuse_open_turn(store::Store& store, const store::Agent& agent) {
    const auto open = store::open_turns(store, agent.id);
    if (open.empty()) return;
    throw Error(ErrorCode::agent_busy,
                "agent '" + agent.name + "': turn " + std::to_string(open.front().turn_number) +
                    " of thread " + std::to_string(open.front().thread_id) + " is not ended",
                "let it end first: chorus-run " + agent.name +
                    " --resume, or --cancel-prompts gives it up");
}

}  // namespace

Imported import_record(store::Store& store, const agent::Home& home, const store::Agent& agent,
                       std::string_view text, const std::string& name) {
    std::vector<SessionLine> sessions;
    Lines(text, name).for_each([&](ImportLine& line) {
        if (auto* session = std::get_if<SessionLine>(&line))
            sessions.push_back(std::move(*session));
    });
    refuse_open_turn(store, agent);
    Import import(store, home, agent);
    for (const SessionLine& session : sessions) import.write_session(session);
    store::Transaction transaction(store);
    Lines(text, name).for_each([&](const ImportLine& line) { import.insert(line); });
    import.insert_rest();
    transaction.commit();
    return import.finish();
}

std::optional<Imported> import_packed(store::Store& store, const agent::Home& home,
                                      const store::Agent& agent) {
    const std::string path = home.path() + "/" + agent.dir + "/" + std::string(packed_name);
    const auto text = sys::read_file_if_there(path, most_import_bytes);
    if (!text) return std::nullopt;
    const Imported imported = import_record(store, home, agent, *text, std::string(packed_name));
    unlink(path.c_str());
    return imported;
}

}  // namespace chorus::context
