#include "context/session_record.hpp"

#include <set>

#include "context/saved.hpp"

namespace chorus::context {

ExportRecord session_record(store::Store& store, const agent::Home& home, const store::Agent& agent,
                            const std::string& id) {
    const store::Session row = require_session(store, agent, id);
    SessionFile session = load_session(home, row);
    ExportRecord record{.agent = agent,
                        .title = agent.name + " · " + row.description,
                        .threads = {},
                        .turns = {},
                        .messages = {}};
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
