#include "context/import_line.hpp"

#include <algorithm>
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
#include "model/attachment.hpp"

namespace chorus::context {
namespace {

using base::Error;
using base::ErrorCode;
using chat::Json;

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

}  // namespace

void keep_flags_of_role(chat::Message& message) {
    message.starts_turn = message.starts_turn && message.role == chat::Role::user;
    if (message.role != chat::Role::user) message.attachments.clear();
    message.is_error = message.is_error && message.role == chat::Role::tool_result;
}

namespace {

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

Delivered parse_delivered(const Members& line) {
    auto delivered = parse<Delivered>(line);
    delivered.row.source = "import";
    const std::string& rights = delivered.row.rights;
    if (rights.empty()) return delivered;
    const auto read = chat::try_parse_json(rights, rights.size());
    if (!read || !chat::member(*read, "profiles").is_array())
        throw line.wrong("rights", "has no profiles");
    return delivered;
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

}  // namespace

ImportLine parse_import_line(std::string_view text, const std::string& what) {
    const Json object = chat::parse_json(text, what, chat::DuplicateKeys::last_wins,
                                         most_line_bytes, ErrorCode::bad_request);
    const Members line(object, what);
    const std::string type = line.text("type");
    if (type == "agent") return parse_agent(line);
    if (type == "thread") return parse_thread(line);
    if (type == "turn") return parse_turn(line);
    if (type == "message") return parse<store::StoredMessage>(line);
    if (type == "delivered") return parse_delivered(line);
    if (type == "queued") return parse_queued(line);
    if (type == "attachment") return parse_attachment(line);
    if (type == "session") return parse_session(line, what);
    if (type == "end") return parse<EndLine>(line);
    throw line.wrong("\"type\" is unknown");
}

}  // namespace chorus::context
