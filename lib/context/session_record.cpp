#include "context/session_record.hpp"

#include <map>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "chat/stored.hpp"
#include "sys/file.hpp"

namespace chorus::context {
namespace {

using base::Error;
using base::ErrorCode;
using chat::Json;
using store::StoredMessage;

constexpr std::size_t most_session_bytes = base::limits::json_bytes * 10;

store::Session require_session(store::Store& store, const store::Agent& agent,
                               const std::string& id) {
    std::vector<store::Session> found;
    for (store::Session& session : store::list_sessions(store, agent.id)) {
        if (session.id == id) return session;
        if (session.id.rfind(id, 0) == 0) found.push_back(std::move(session));
    }
    if (found.size() == 1) return found.front();
    const std::string what = "session '" + base::visible(id, base::Newlines::escape) + "': ";
    if (found.empty())
        throw Error(ErrorCode::not_found, what + "agent '" + agent.name + "' has none of that id",
                    "chorus-context history " + agent.name + " lists them");
    throw Error(ErrorCode::bad_request,
                what + std::to_string(found.size()) + " sessions begin with it",
                "they are " + found[0].id + " and " + found[1].id);
}

chat::Role role_of(const Json& message) {
    const std::string role = chat::string_or(message, "role");
    if (role == "assistant") return chat::Role::assistant;
    return role == "tool" || role == "tool_result" ? chat::Role::tool_result : chat::Role::user;
}

std::string arguments_of(const Json& call) {
    const auto arguments = call.find("arguments");
    if (arguments != call.end() && arguments->is_string()) return arguments->get<std::string>();
    if (arguments != call.end()) return chat::dump(*arguments);
    return call.contains("params") ? chat::dump(call["params"]) : "{}";
}

StoredMessage message_of(const Json& file) {
    StoredMessage stored;
    chat::Message& message = stored.message;
    message.role = role_of(file);
    message.content = chat::string_or(file, "content");
    message.timestamp = base::parse_iso8601(chat::string_or(file, "timestamp")).value_or(0);
    message.tool_call_id = chat::string_or(file, "tool_call_id");
    stored.thread = chat::integer_or(file, "thread_id", 1);
    const auto calls = file.find("tool_calls");
    if (calls != file.end() && calls->is_array())
        for (const Json& call : *calls)
            if (call.is_object())
                message.tool_calls.push_back({chat::string_or(call, "id"),
                                              chat::string_or(call, "name"), arguments_of(call)});
    const auto extra = file.find("extra");
    if (extra != file.end() && extra->is_object()) chat::load_extra(chat::dump(*extra), message);
    return stored;
}

}  // namespace

Record session_record(store::Store& store, const agent::Home& home, const store::Agent& agent,
                      const std::string& id) {
    const store::Session session = require_session(store, agent, id);
    const std::string path = home.path() + "/" + session.file_path;
    const Json file = chat::parse_json(sys::read_file(path, most_session_bytes), path,
                                       chat::DuplicateKeys::last_wins, most_session_bytes,
                                       ErrorCode::bad_request);
    const auto messages = file.is_object() ? file.find("messages") : file.end();
    if (messages == file.end() || !messages->is_array())
        throw Error(ErrorCode::bad_request, path + ": not a session: it has no messages");
    Record record{.agent = agent,
                  .title = agent.name + " · " + session.description,
                  .threads = {},
                  .turns = {},
                  .messages = {}};
    std::map<store::ThreadId, store::Thread> threads;
    for (const Json& each : *messages) {
        if (!each.is_object()) continue;
        StoredMessage stored = message_of(each);
        stored.message.id = static_cast<std::int64_t>(record.messages.size()) + 1;
        threads[stored.thread].id = stored.thread;
        threads[stored.thread].branch = "main";
        record.messages.push_back(std::move(stored));
    }
    for (auto& [number, thread] : threads) record.threads.push_back(std::move(thread));
    return record;
}

}  // namespace chorus::context
