#include "context/export_record.hpp"

#include <set>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "chat/stored.hpp"
#include "context/transcript.hpp"
#include "store/attachments.hpp"
#include "sys/beneath.hpp"

namespace chorus::context {
namespace {

constexpr std::size_t hash_digits = 32;  // of a hash that only has to be unique

bool is_everything(const store::MessageFilter& filter) {
    const store::MessageFilter all;
    return filter.thread == all.thread && filter.since == all.since && filter.until == all.until;
}

std::string hash_of(std::string head, const chat::Message& message, base::TimeMs at) {
    for (const std::string& part :
         {std::string(chat::name(message.role)), std::to_string(at), message.tool_call_id,
          chat::store_tool_calls(message.tool_calls), message.content})
        head.append("\n").append(part);
    return base::sha256_hex(head);
}

}  // namespace

ExportRecord load_record(store::Store& store, const store::Agent& agent,
                         store::MessageFilter filter) {
    ExportRecord record{.agent = agent, .title = agent.name};
    const store::ReadTransaction all_at_once(store);
    filter.agent = agent.id;
    record.messages = store::load_messages(store, filter);
    record.threads = store::list_threads(store, agent.id);
    record.turns = store::list_turns(store, agent.id);
    std::set<store::TurnId> turns;
    for (const store::StoredMessage& stored : record.messages) turns.insert(stored.message.turn_id);
    for (store::InboxRow& row : store::delivered(store, agent.id))
        if (turns.contains(row.delivered_turn)) record.delivered.push_back({std::move(row)});
    if (is_everything(filter)) {
        for (const store::Thread& thread : record.threads)
            for (store::InboxRow& row : store::undelivered(store, agent.id, thread.id))
                if (row.source == "user") record.queued.push_back(std::move(row));
        return record;
    }
    std::set<store::ThreadId> threads;
    for (const store::StoredMessage& stored : record.messages) threads.insert(stored.thread);
    std::erase_if(record.threads, [&](const auto& one) { return !threads.contains(one.id); });
    std::erase_if(record.turns, [&](const auto& one) { return !turns.contains(one.id); });
    return record;
}

void add_sessions(ExportRecord& record, store::Store& store, const agent::Home& home) {
    const sys::Root root(home.path(), "the home");
    for (store::Session& row : store::list_sessions(store, record.agent.id)) {
        if (row.file_path.empty()) continue;  // known to be gone
        std::string text;
        std::string problem;
        if (root.read_file(row.file_path, base::limits::session_bytes, text, problem))
            record.sessions.push_back({std::move(row), std::move(text)});
        else
            record.lost_sessions.push_back(row.id);
    }
}

void add_sub_agents(ExportRecord& record, store::Store& store, const store::MessageFilter& filter) {
    std::set<store::TurnId> turns;
    std::set<std::string> added;
    for (const store::Turn& turn : record.turns) turns.insert(turn.id);
    const store::MessageFilter of_child{.since = filter.since, .until = filter.until};
    for (const store::Agent& child : store::list_children(store, record.agent.id)) {
        const bool is_wanted =
            child.parent_turn == 0 ? filter.thread == 0 : turns.contains(child.parent_turn);
        if (!is_wanted || !added.insert(child.name).second) continue;
        ExportRecord below = load_record(store, child, of_child);
        add_sub_agents(below, store, of_child);
        if (!below.messages.empty()) record.sub_agents.push_back(std::move(below));
    }
}

void add_attachments(ExportRecord& record, store::Store& store) {
    std::set<std::string> added;
    for (const store::StoredMessage& stored : record.messages)
        for (const chat::Attachment& each : stored.message.attachments) {
            if (!added.insert(each.sha256).second) continue;
            if (auto bytes = store::find_attachment(store, record.agent.id, each.sha256))
                record.attachments.push_back({each.sha256, std::move(*bytes)});
        }
}

void redact(ExportRecord& record, const policy::Redaction& redaction) {
    for (store::StoredMessage& stored : record.messages) redact(stored.message, redaction);
    for (ExportRecord& below : record.sub_agents) redact(below, redaction);
}

base::TimeMs said_at(const store::StoredMessage& stored) {
    return stored.original_timestamp != 0 ? stored.original_timestamp : stored.message.timestamp;
}

bool is_imported(const store::StoredMessage& stored) {
    return stored.restored_from.rfind(store::import_mark, 0) == 0;
}

std::string identity(std::string_view origin, const store::StoredMessage& stored) {
    if (is_imported(stored)) return stored.restored_from;
    const chat::Message& message = stored.message;
    const std::string head = std::string(origin) + "\n" + std::to_string(message.id);
    return std::string(store::import_mark) +
           hash_of(head, message, message.timestamp).substr(0, hash_digits);
}

std::string said_key(const store::StoredMessage& stored) {
    return hash_of(std::to_string(stored.thread), stored.message, said_at(stored));
}

std::string origin_of(const store::Agent& agent) {
    return base::sha256_hex(agent.name + "\n" + std::to_string(agent.created_at))
        .substr(0, hash_digits);
}

}  // namespace chorus::context
