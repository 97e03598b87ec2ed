#include "context/saved.hpp"

#include <set>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"

namespace chorus::context {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::size_t shown_id_bytes = 8;
constexpr const char* mending = "chorus-config doctor --fix accepts the file as it is";

[[noreturn]] void refuse_unknown(store::Store& store, const store::Agent& agent,
                                 const std::string& id_prefix) {
    for (const store::Agent& other : store::list_agents(store))
        if (other.id != agent.id && !store::find_sessions(store, other.id, id_prefix).empty())
            throw Error(ErrorCode::not_found, "session " + base::quoted(id_prefix) +
                                                  ": it belongs to agent '" + other.name +
                                                  "', not to '" + agent.name + "'");
    throw Error(
        ErrorCode::not_found,
        "session " + base::quoted(id_prefix) + ": agent '" + agent.name + "' has no such session",
        "chorus-context history " + agent.name + " lists them");
}

[[noreturn]] void refuse_ambiguous(const std::vector<store::Session>& found,
                                   const std::string& id_prefix) {
    throw Error(
        ErrorCode::bad_request,
        "session " + base::quoted(id_prefix) + ": the ids of several sessions begin with it",
        "use more of the id: " + base::quoted(found[0].id) + ", " + base::quoted(found[1].id));
}

void check_row(const SessionFile& file, const store::Session& row, const std::string& path) {
    if (!file.row.id.empty() && file.row.id != row.id)
        throw Error(ErrorCode::failed, path + ": it is session " + base::quoted(file.row.id) +
                                           ", not " + base::quoted(row.id));
    if (!file.row.agent_name.empty() && file.row.agent_name != row.agent_name)
        throw Error(ErrorCode::failed, path + ": it belongs to agent " +
                                           base::quoted(file.row.agent_name) + ", not to " +
                                           base::quoted(row.agent_name));
}

}  // namespace

std::string short_id(const std::string& id) {
    return id.substr(0, shown_id_bytes);
}

store::Session require_session(store::Store& store, const store::Agent& agent,
                               const std::string& id_prefix) {
    if (id_prefix.empty())
        throw Error(ErrorCode::bad_request, "session: the id is empty",
                    "chorus-context history " + agent.name + " lists them");
    auto found = store::find_sessions(store, agent.id, id_prefix);
    for (const store::Agent& earlier : store::list_generations(store, agent.name))
        if (found.empty()) found = store::find_sessions(store, earlier.id, id_prefix);
    if (found.empty()) refuse_unknown(store, agent, id_prefix);
    if (found.size() > 1) refuse_ambiguous(found, id_prefix);
    return std::move(found.front());
}

SessionFile load_session(const agent::Home& home, const store::Session& row) {
    if (row.file_path.empty())
        throw Error(ErrorCode::not_found,
                    "session " + base::quoted(row.id) + ": its file is gone; only its row is left");
    const std::string path = home.path() + "/" + row.file_path;
    const auto text = sys::read_file_if_there(path, base::limits::session_bytes);
    if (!text)
        throw Error(ErrorCode::not_found, path + ": the file of the session is gone",
                    "chorus-config doctor shows what else is missing");
    auto read = read_session(*text, path);
    if (const Error* error = std::get_if<Error>(&read)) throw *error;
    SessionFile file = std::get<SessionFile>(std::move(read));
    check_row(file, row, path);
    if (base::sha256_hex(*text) != row.sha256)
        throw Error(ErrorCode::failed,
                    path + ": it differs from what was saved: its SHA-256 does not match", mending);
    return file;
}

ExportRecord session_record(store::Store& store, const agent::Home& home, const store::Agent& agent,
                            const std::string& id) {
    const store::Session row = require_session(store, agent, id);
    SessionFile session = load_session(home, row);
    ExportRecord record{.agent = agent, .title = agent.name + " · " + row.description};
    record.agent.last_clear_message = 0;  // the record has its own message ids
    std::set<store::ThreadId> numbers;
    for (SessionMessage& each : session.messages) {
        store::StoredMessage stored;
        stored.message = std::move(each.message);
        stored.message.id = static_cast<std::int64_t>(record.messages.size()) + 1;
        stored.thread = each.thread;
        numbers.insert(each.thread);
        record.messages.push_back(std::move(stored));
    }
    for (const store::ThreadId number : numbers) {
        const auto known = store::find_thread(store, agent.id, number);
        store::Thread thread;
        thread.id = number;
        thread.branch = known ? known->branch : "main";
        record.threads.push_back(std::move(thread));
    }
    return record;
}

}  // namespace chorus::context
