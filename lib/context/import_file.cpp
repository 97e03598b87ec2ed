#include "context/import_file.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "chat/stored.hpp"
#include "context/session_file.hpp"
#include "context/transcript_entry.hpp"
#include "model/attachment.hpp"

namespace chorus::context {
namespace {

using base::Error;
using base::ErrorCode;
using chat::Json;

constexpr std::size_t most_calls = 1000;
constexpr double most_usd = 1'000'000'000;

// The members of a line, each read as the type it must have.
class Members {
  public:
    Members(const Json& object, const std::string& what) : object_(object), what_(what) {
        if (!object.is_object()) throw wrong("not an object");
    }

    Error wrong(const std::string& why) const {
        return {ErrorCode::bad_request, what_ + ": " + why, std::string(import_hint)};
    }

    Error wrong(const char* key, const std::string& why) const {
        return wrong("\"" + std::string(key) + "\" " + why);
    }

    const Json& find(const char* key) const { return chat::member(object_, key); }

    std::string text(const char* key, std::size_t most = most_word_bytes) const {
        const Json& value = find(key);
        if (!value.is_string()) throw wrong(key, "is not a string");
        const auto& text = value.get_ref<const std::string&>();
        if (text.size() > most)
            throw wrong(key, "is longer than " + std::to_string(most) + " bytes");
        return text;
    }
    std::int64_t integer(const char* key, std::int64_t least, std::int64_t most) const {
        const Json& value = find(key);
        if (!value.is_number_integer() ||
            (value.is_number_unsigned() &&
             value.get<std::uint64_t>() > static_cast<std::uint64_t>(any_id)))
            throw wrong(key, "is not a whole number");
        const auto number = value.get<std::int64_t>();
        if (number < least || number > most)
            throw wrong(key, "is " + std::to_string(number) + "; it must be from " +
                                 std::to_string(least) + " to " + std::to_string(most));
        return number;
    }

    // record_members.hpp calls the following ones.
    void number(const char* key, std::int64_t& value, std::int64_t least, std::int64_t most) const {
        value = integer(key, least, most);
    }
    void number_or_none(const char* key, std::int64_t& value, Empty /*empty*/,
                        std::int64_t most = any_id) const {
        value = find(key).is_null() ? 0 : integer(key, 0, most);
    }
    template <typename Number>
    void known(const char* key, Number& value, Empty /*empty*/, std::int64_t most = any_id) const {
        value = find(key).is_null() ? -1 : static_cast<Number>(integer(key, 0, most));
    }
    void text(const char* key, std::string& value, std::size_t most) const {
        value = text(key, most);
    }
    void text_or_none(const char* key, std::string& value, Empty /*empty*/,
                      std::size_t most = most_word_bytes) const {
        value = find(key).is_null() ? std::string() : text(key, most);
    }
    void time(const char* key, base::TimeMs& value) const {
        const auto at = base::parse_iso8601(text(key));
        if (!at) throw wrong(key, "is not a time");
        value = *at;
    }
    void time_or_none(const char* key, base::TimeMs& value, Empty /*empty*/) const {
        if (!find(key).is_null()) time(key, value);
    }
    void flag(const char* key, bool& value) const {
        const Json& found = find(key);
        if (!found.is_null() && !found.is_boolean()) throw wrong(key, "is neither true nor false");
        value = found == true;
    }
    void cost(base::MicroUsd& value) const {
        const Json& found = find("cost_usd");
        value = base::unknown_cost;
        if (found.is_null()) return;
        const double usd = found.is_number() ? found.get<double>() : -1;
        if (!(usd >= 0 && usd <= most_usd)) throw wrong("cost_usd", "is not an amount");
        value = base::micro_usd(usd);
    }
    template <typename Enum, typename Find>
    void named(const char* key, Enum& value, const Find& find_value) const {
        const auto found = find_value(text(key));
        if (!found) throw wrong(key, "is unknown");
        value = *found;
    }
    template <typename Described>
    void object(const char* key, Described& described) const {
        const Json& found = find(key);
        if (found.is_null()) return;
        const Members members(found, what_);
        describe(members, described);
    }
    template <typename Value>
    void only_written(const char* /*key*/, const Value& /*value*/) const {}
    void options(store::Turn& turn) const {
        bool is_fresh = false;
        flag("fresh", is_fresh);
        turn.options = store::imported_options(is_fresh, metadata());
    }
    void base64(const char* key, std::string& bytes) const {
        auto decoded = base::base64_decode(text(key, most_line_bytes));
        if (!decoded) throw wrong(key, "is not base64");
        bytes = std::move(*decoded);
    }
    void calls(chat::Message& message) const;
    void extra(chat::Message& message) const;

  private:
    std::string metadata() const;

    const Json& object_;
    const std::string& what_;
};

std::string Members::metadata() const {
    const Json& found = find("metadata");
    if (found.is_null()) return {};
    const bool is_one = found.is_object() && found.size() <= base::limits::metadata_pairs;
    if (!is_one) throw wrong("metadata", "is not an object of a few strings");
    for (const auto& [key, value] : found.items())
        if (key.size() > base::limits::metadata_key_bytes || !value.is_string() ||
            value.get_ref<const std::string&>().size() > base::limits::metadata_value_bytes)
            throw wrong("metadata", "is not an object of a few strings");
    return chat::dump(found);
}

void Members::calls(chat::Message& message) const {
    const Json& list = find("tool_calls");
    if (list.is_null() || message.role != chat::Role::assistant) return;
    if (!list.is_array() || list.size() > most_calls)
        throw wrong("\"tool_calls\" is not a list of at most " + std::to_string(most_calls));
    std::set<std::string> ids;
    for (const Json& each : list) {
        const Members call(each, what_);
        message.tool_calls.push_back({call.text("id"), call.text("name"),
                                      call.text("arguments", base::limits::answer_bytes)});
        const std::string& id = message.tool_calls.back().id;
        if (!ids.insert(id).second || id.empty())
            throw wrong("two calls have the same id, or one has none");
    }
}

void keep_flags_of_role(chat::Message& message) {
    message.starts_turn = message.starts_turn && message.role == chat::Role::user;
    if (message.role != chat::Role::user) message.attachments.clear();
    message.is_error = message.is_error && message.role == chat::Role::tool_result;
}

// Keeps the flags that such a message can have; drops what is specific to a provider or to a home.
void Members::extra(chat::Message& message) const {
    const Json& found = find("extra");
    if (!found.is_null() && !found.is_object()) throw wrong("not an object");
    if (found.is_object()) chat::load_extra(chat::dump(found), message);
    if (message.external_id.empty()) message.external_id = chat::external_id_of(object_);
    if (found.is_null()) return;
    message.opaque.reset();
    message.status.clear();
    keep_flags_of_role(message);
    for (const chat::Attachment& each : message.attachments)
        if (!model::is_attachment(each)) throw wrong("extra", "has an invalid attachment");
}

// Whether the name can be that of a directory in branches/.
bool is_branch_name(std::string_view name) {
    return !name.empty() && name.front() != '.' && name.size() < most_word_bytes &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '-' || c == '_' || c == '.';
           });
}

ImportedAgent parse_agent(const Members& line) {
    const std::string schema = line.text("schema");
    const std::string_view known = export_schema;
    if (schema != known) {
        const std::string_view family = known.substr(0, known.find('/') + 1);
        if (schema.rfind(family, 0) != 0)
            throw line.wrong("\"schema\" is not " + std::string(known));
        throw Error(ErrorCode::bad_request,
                    line.wrong("").message() + "made by a newer chorus (" +
                        base::visible(schema, base::Newlines::escape) + ", this one knows " +
                        std::string(known) + ")",
                    "use the newer chorus");
    }
    ImportedAgent agent;
    line.text("origin", agent.origin, most_word_bytes);
    line.number_or_none("cleared_until", agent.cleared_until, Empty::left_out);
    line.text_or_none("current_branch", agent.current_branch, Empty::left_out);
    if (!is_branch_name(agent.current_branch)) agent.current_branch.clear();
    return agent;
}

template <typename Described>
Described parse(const Members& line) {
    Described described;
    describe(line, described);
    return described;
}

store::Thread parse_thread(const Members& line) {
    auto thread = parse<store::Thread>(line);
    if (!is_branch_name(thread.branch)) thread.branch.clear();
    return thread;
}

store::Turn parse_turn(const Members& line) {
    auto turn = parse<store::Turn>(line);
    turn.ended_at = std::max(turn.ended_at, turn.started_at);
    return turn;
}

store::InboxRow parse_queued(const Members& line) {
    auto row = parse<store::InboxRow>(line);
    row.source = "user";
    return row;
}

AttachedFile parse_attachment(const Members& line) {
    auto file = parse<AttachedFile>(line);
    if (file.bytes.size() > base::limits::attachment_bytes)
        throw line.wrong("data", "is more than 32 MiB");
    if (base::sha256_hex(file.bytes) != file.sha256)
        throw line.wrong("sha256", "is not that of \"data\"");
    return file;
}

SavedSession parse_session(const Members& line, const std::string& what) {
    auto saved = parse<SavedSession>(line);
    auto read = read_session(saved.text, what + ": session");
    if (const auto* error = std::get_if<Error>(&read))
        throw Error(ErrorCode::bad_request, error->message(), error->hint());
    const std::string id = std::exchange(saved.row, std::get<SessionFile>(read).row).id;
    if (id.empty() || saved.row.id != id)
        throw line.wrong("the session's id differs from its line's");
    return saved;
}

// `what` begins the error's message: "ada.jsonl: line 12".
ImportLine parse_import_line(std::string_view text, const std::string& what) {
    const Json object = chat::parse_json(text, what, chat::DuplicateKeys::last_wins,
                                         most_line_bytes, ErrorCode::bad_request);
    const Members line(object, what);
    const std::string type = line.text("type");
    if (type == "agent") return parse_agent(line);
    if (type == "thread") return parse_thread(line);
    if (type == "turn") return parse_turn(line);
    if (type == "message") return parse<store::StoredMessage>(line);
    if (type == "queued") return parse_queued(line);
    if (type == "attachment") return parse_attachment(line);
    if (type == "session") return parse_session(line, what);
    if (type == "end") return parse<EndLine>(line);
    throw line.wrong("\"type\" is unknown");
}

// Reads the lines in order and checks that each is allowed where it is.
class Lines {
  public:
    Lines(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    void for_each(const std::function<void(ImportLine&)>& use) {
        while (!text_.empty()) {
            ++number_;
            const std::size_t end = text_.find('\n');
            const std::string_view text = text_.substr(0, end);
            if (text.starts_with('{') && !base::trim(text).ends_with('}'))
                throw wrong("not JSON: the line is cut off");
            ImportLine line = parse_import_line(text, place());
            text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
            check(line);
            use(line);
        }
        if (number_ == 0)
            throw Error(ErrorCode::bad_request, name_ + ": it is empty", std::string(import_hint));
        if (!ended_) throw wrong("the file ends after it, without its last line: it was cut off");
    }

  private:
    std::string place() const { return name_ + ": line " + std::to_string(number_); }
    Error wrong(const std::string& why) const {
        return {ErrorCode::bad_request, place() + ": " + why, std::string(import_hint)};
    }
    void require(bool holds, const std::string& why) const {
        if (!holds) throw wrong(why);
    }

    void check(const ImportLine& line) {
        require(!ended_, "it follows the last line");
        require((number_ == 1) == std::holds_alternative<ImportedAgent>(line),
                number_ == 1 ? "it is not an agent line" : "a second agent line");
        std::visit([this](const auto& one) { check_line(one); }, line);
    }
    void check_line(const ImportedAgent&) {}
    void check_line(const store::Thread& thread) {
        require(threads_.insert(thread.id).second, "the thread is given twice");
    }
    void check_line(const store::Turn& turn) {
        require(threads_.count(turn.thread_id) > 0, "no earlier line describes its thread");
        require(turns_.emplace(turn.id, turn.thread_id).second, "the turn is given twice");
    }
    void check_line(const store::StoredMessage& stored) {
        const chat::Message& message = stored.message;
        require(message.id > newest_, "its id is not greater than the previous one");
        require(threads_.count(stored.thread) > 0, "no earlier line describes its thread");
        const auto turn = turns_.find(message.turn_id);
        require(message.turn_id == 0 || turn != turns_.end(), "no earlier line describes its turn");
        require(message.turn_id == 0 || turn->second == stored.thread,
                "its turn belongs to another thread");
        newest_ = message.id;
        ++messages_;
    }
    void check_line(const store::InboxRow& row) {
        require(threads_.count(row.thread_id) > 0, "no earlier line describes its thread");
        ++queued_;
    }
    void check_line(const AttachedFile& file) {
        require(attachments_.insert(file.sha256).second, "the attachment is given twice");
    }
    void check_line(const SavedSession& saved) {
        require(sessions_.insert(saved.row.id).second, "the session is given twice");
    }
    void check_line(const EndLine& line) {
        const auto agree = [&](std::int64_t said, std::size_t found, const char* what) {
            require(said == static_cast<std::int64_t>(found), "expected " + std::to_string(said) +
                                                                  " " + what + ", found " +
                                                                  std::to_string(found));
        };
        agree(line.threads, threads_.size(), "threads");
        agree(line.turns, turns_.size(), "turns");
        agree(line.messages, messages_, "messages");
        agree(line.sessions, sessions_.size(), "sessions");
        agree(line.attachments, attachments_.size(), "attachments");
        agree(line.queued, queued_, "queued messages");
        ended_ = true;
    }

    std::string_view text_;
    const std::string& name_;
    std::size_t number_ = 0;
    bool ended_ = false;
    std::int64_t newest_ = 0;
    std::size_t messages_ = 0;
    std::size_t queued_ = 0;
    std::set<store::ThreadId> threads_;
    std::map<store::TurnId, store::ThreadId> turns_;
    std::set<std::string> attachments_;
    std::set<std::string> sessions_;
};

std::string problem_of(const chat::Message& message) {
    if (message.content.size() > base::limits::answer_bytes) return "it is too long";
    if (message.tool_call_id.size() > most_word_bytes) return "the id of its call is too long";
    if (message.tool_calls.size() > most_calls) return "it has too many calls";
    std::set<std::string> ids;
    for (const chat::ToolCall& call : message.tool_calls) {
        if (call.id.size() > most_word_bytes || call.name.size() > most_word_bytes ||
            call.arguments.size() > base::limits::answer_bytes)
            return "a call has an id, a name or arguments that are too long";
        if (call.id.empty() || !ids.insert(call.id).second)
            return "two calls have the same id, or one has none";
    }
    for (const chat::Attachment& each : message.attachments)
        if (!model::is_attachment(each)) return "it has an invalid attachment";
    return {};
}

void for_each_entry(std::string_view text, const std::string& name,
                    const std::function<void(ImportLine&)>& use) {
    std::vector<chat::Message> messages = read_transcript(text, name);
    store::Agent agent;
    agent.name = text.substr(0, text.find('\n'));
    if (!messages.empty()) agent.created_at = messages.front().timestamp;
    ImportLine line = ImportedAgent{origin_of(agent), 0, {}};
    use(line);
    store::Thread thread;
    thread.id = 1;
    line = std::move(thread);
    use(line);
    std::int64_t id = 0;
    for (chat::Message& message : messages) {
        if (const std::string why = problem_of(message); !why.empty())
            throw Error(ErrorCode::bad_request,
                        name + ": message " + std::to_string(message.id) + ": " + why);
        store::StoredMessage stored;
        stored.thread = 1;
        stored.message = std::move(message);
        stored.message.id = ++id;
        keep_flags_of_role(stored.message);
        line = std::move(stored);
        use(line);
    }
}

}  // namespace

void for_each_line(std::string_view text, const std::string& name,
                   const std::function<void(ImportLine&)>& use) {
    if (is_transcript(text))
        for_each_entry(text, name, use);
    else
        Lines(text, name).for_each(use);
}

Contents contents_of(std::string_view text, const std::string& name) {
    Contents contents;
    for_each_line(text, name, [&](ImportLine& line) {
        if (auto* session = std::get_if<SavedSession>(&line))
            contents.sessions.push_back(std::move(*session));
        else if (const auto* message = std::get_if<store::StoredMessage>(&line))
            contents.messages += 1 + static_cast<std::int64_t>(message->message.tool_calls.size());
        else if (std::holds_alternative<store::Turn>(line))
            ++contents.turns;
    });
    return contents;
}

}  // namespace chorus::context
