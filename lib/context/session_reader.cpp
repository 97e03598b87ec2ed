#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "chat/stored.hpp"
#include "context/session_file.hpp"

namespace chorus::context {
namespace {

using base::Error;
using base::ErrorCode;
using chat::Json;
using chat::Role;

constexpr std::string_view schema_name = "chorus.session/";
constexpr std::string_view our_schema = "chorus.session/1";
constexpr std::size_t most_id_bytes = 128;
constexpr std::int64_t most_thread_number = 1'000'000;

// What is wrong, or ""; the caller adds where.
using Problem = std::string;

const Json* find(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string text_of(const Json& object, const char* key, const char* other) {
    const std::string text = chat::string_or(object, key);
    return text.empty() ? chat::string_or(object, other) : text;
}

base::TimeMs time_of(const Json& object, const char* key, const char* other) {
    return base::parse_iso8601(text_of(object, key, other)).value_or(0);
}

std::string in_quotes(std::string_view text) {
    return "'" + base::visible(base::utf8_prefix(text, 64), base::Newlines::escape) + "'";
}

enum class Said { user, assistant, tool_result, system };

Problem read_role(const Json& stored, Said& said) {
    struct Word {
        std::string_view text;
        Said said;
    };
    constexpr std::array<Word, 7> words{{{"user", Said::user},
                                         {"assistant", Said::assistant},
                                         {"tool_use", Said::assistant},
                                         {"tool_result", Said::tool_result},
                                         {"tool", Said::tool_result},
                                         {"system", Said::system},
                                         {"developer", Said::system}}};
    const Json* role = find(stored, "role");
    if (role == nullptr) {
        if (find(stored, "tool_call_id") != nullptr)
            said = Said::tool_result;
        else if (find(stored, "tool_calls") != nullptr)
            said = Said::assistant;
        else
            return "it has no role";
        return {};
    }
    const std::string text = role->is_string() ? role->get<std::string>() : chat::dump(*role);
    const auto* found = std::find_if(words.begin(), words.end(),
                                     [&](const Word& word) { return word.text == text; });
    if (found == words.end()) return "role: " + in_quotes(text) + " is unknown";
    said = found->said;
    return {};
}

Problem read_content(const Json& stored, std::string& content) {
    const Json* found = find(stored, "content");
    if (found == nullptr) return {};
    if (!found->is_string()) return "content: it is not a string";
    content = found->get<std::string>();
    return {};
}

// Returns the text as the model wrote it, if stored so, else the stored object as text.
std::string arguments_of(const Json& call) {
    for (const char* key : {"arguments", "params", "input"}) {
        const Json* found = find(call, key);
        if (found != nullptr && found->is_string()) return found->get<std::string>();
        if (found != nullptr && found->is_object()) return chat::dump(*found);
    }
    return "{}";
}

Problem read_calls(const Json& stored, std::vector<chat::ToolCall>& calls) {
    const Json* found = find(stored, "tool_calls");
    if (found == nullptr) return {};
    if (!found->is_array()) return "tool_calls: it is not a list";
    for (const Json& call : *found) {
        if (!call.is_object()) return "tool_calls: one is not an object";
        calls.push_back(
            {chat::string_or(call, "id"), chat::string_or(call, "name"), arguments_of(call)});
    }
    return {};
}

Problem read_thread(const Json& stored, std::int64_t& thread) {
    const Json* found = find(stored, "thread_id");
    if (found == nullptr) return {};
    thread = found->is_number_integer() ? found->get<std::int64_t>() : 0;
    // a larger value would wrap to a signed one
    const bool is_huge =
        found->is_number_unsigned() && found->get<std::uint64_t>() > most_thread_number;
    if (is_huge || thread < 1 || thread > most_thread_number)
        return "thread_id: it is not the number of a thread";
    return {};
}

bool is_list_of_objects(const std::string& text) {
    const auto list = chat::try_parse_json(text, text.size());
    return list && list->is_array() &&
           std::all_of(list->begin(), list->end(), [](const Json& one) { return one.is_object(); });
}

// Reads only what belongs to the role. `opaque` is put into requests unchanged, so it must be a
// list of objects.
void read_extra(const Json& stored, chat::Message& message) {
    const Json* found = find(stored, "extra");
    if (found == nullptr || !found->is_object()) return;
    chat::Message read;
    chat::load_extra(chat::dump(*found), read);
    if (message.role == Role::user) {
        message.status = std::move(read.status);
        message.starts_turn = read.starts_turn;
        message.is_compaction = read.is_compaction;
    }
    if (message.role == Role::tool_result) message.is_error = read.is_error;
    if (message.role == Role::assistant && read.opaque && is_list_of_objects(read.opaque->wire))
        message.opaque = std::move(read.opaque);
}

Role role_of(Said said) {
    return said == Said::user        ? Role::user
           : said == Said::assistant ? Role::assistant
                                     : Role::tool_result;
}

Problem read_message(const Json& stored, Said said, SessionMessage& each) {
    chat::Message& message = each.message;
    message.role = role_of(said);
    if (Problem problem = read_content(stored, message.content); !problem.empty()) return problem;
    if (Problem problem = read_thread(stored, each.thread); !problem.empty()) return problem;
    if (message.role == Role::assistant)
        if (Problem problem = read_calls(stored, message.tool_calls); !problem.empty())
            return problem;
    if (message.role == Role::tool_result)
        message.tool_call_id = chat::string_or(stored, "tool_call_id");
    message.timestamp = time_of(stored, "timestamp", "timestamp");
    each.model = chat::string_or(stored, "model");
    read_extra(stored, message);
    return {};
}

Problem read_messages(const Json& stored, std::vector<SessionMessage>& messages) {
    std::size_t number = 0;
    for (const Json& one : stored) {
        const std::string where = "messages[" + std::to_string(number++) + "]: ";
        if (!one.is_object()) return where + "it is not an object";
        Said said = Said::user;
        if (const Problem problem = read_role(one, said); !problem.empty()) return where + problem;
        if (said == Said::system) continue;
        SessionMessage each;
        if (const Problem problem = read_message(one, said, each); !problem.empty())
            return where + problem;
        messages.push_back(std::move(each));
    }
    return {};
}

Problem check_schema(const Json& file) {
    const Json* found = find(file, "schema");
    if (found == nullptr || *found == our_schema) return {};
    const std::string schema = found->is_string() ? found->get<std::string>() : chat::dump(*found);
    if (schema.starts_with(schema_name))
        return "made by a newer Chorus: its schema is " + in_quotes(schema);
    return "not a session: its schema is " + in_quotes(schema);
}

std::string id_of(const Json& file) {
    std::string id = text_of(file, "id", "session_id");
    const bool typable =
        id.size() <= most_id_bytes &&
        std::all_of(id.begin(), id.end(), [](char c) { return c > ' ' && c < 0x7f; });
    return typable ? id : std::string();
}

Problem read_file(const Json& stored, SessionFile& file) {
    if (!stored.is_object()) return "not a session: it is not a JSON object";
    if (Problem problem = check_schema(stored); !problem.empty()) return problem;
    const Json* messages = find(stored, "messages");
    if (messages == nullptr || !messages->is_array())
        return "not a session: it has no list of messages";
    file.head = {.id = id_of(stored),
                 .agent_name = chat::string_or(stored, "agent_name"),
                 .description = chat::string_or(stored, "description"),
                 .summary = chat::string_or(stored, "summary"),
                 .trigger = chat::string_or(stored, "trigger"),
                 .model = chat::string_or(stored, "model"),
                 .saved_at = time_of(stored, "saved_at", "timestamp"),
                 .window_start = time_of(stored, "window_start", "window_start"),
                 .window_end = time_of(stored, "window_end", "window_end")};
    return read_messages(*messages, file.messages);
}

}  // namespace

std::variant<SessionFile, base::Error> read_session(std::string_view text,
                                                    const std::string& what) {
    const auto refused = [&](const std::string& problem) {
        return Error(ErrorCode::failed, what + ": " + problem);
    };
    if (text.size() > base::limits::session_bytes) return refused("it is larger than 100 MiB");
    const auto stored = chat::try_parse_json(text, text.size());
    if (!stored) return refused("it is cut off, or not JSON of at most 64 levels");
    SessionFile file;
    if (const Problem problem = read_file(*stored, file); !problem.empty()) return refused(problem);
    return file;
}

}  // namespace chorus::context
