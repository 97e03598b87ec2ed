// How rows of the table messages are read. Include it in .cpp files only.
#pragma once

#include "chat/stored.hpp"
#include "store/columns.hpp"
#include "store/known.hpp"
#include "store/messages.hpp"

namespace chorus::store {

// Every table here begins with these.
constexpr int id_column = 0;
constexpr int timestamp_column = 1;

constexpr std::string_view rest_of_message =
    "role, turn_id, tool_call_id, content, tool_calls, extra";

struct RestOfMessage {
    void read(const Statement& statement, int& column, chat::Message& message) const {
        message.role = chat::parse_role(statement.view(column++));
        message.turn_id = statement.integer(column++);
        message.tool_call_id = statement.text(column++);
        message.content = statement.text(column++);
        message.tool_calls = chat::load_tool_calls(statement.view(column++));
        chat::load_extra(statement.view(column++), message);
    }
};

constexpr Table messages{
    Source<chat::Message>{"messages", "messages AS message", is_known_message},
    read_only("id", &chat::Message::id),
    read_only("timestamp", &chat::Message::timestamp),
    read_only(rest_of_message, std::identity(), RestOfMessage{}),
};

constexpr Table stored_messages{
    Source<StoredMessage>{"messages", "messages AS message", is_known_message},
    read_only("id", in(&StoredMessage::message, &chat::Message::id)),
    read_only("timestamp", in(&StoredMessage::message, &chat::Message::timestamp)),
    read_only(rest_of_message, &StoredMessage::message, RestOfMessage{}),
    read_only("agent_id", &StoredMessage::agent_id),
    read_only("thread_id", &StoredMessage::thread),
    read_only("(SELECT outcome FROM tool_runs AS run WHERE run.turn_id = message.turn_id AND "
              "run.tool_call_id = message.tool_call_id)",
              &StoredMessage::outcome),
    read_only("restored_from", &StoredMessage::restored_from),
    read_only("CASE WHEN restored_from GLOB 'message *' THEN substr(restored_from, 9) END",
              &StoredMessage::original),
    read_only("original_timestamp", &StoredMessage::original_timestamp),
    read_only("compacted_into", &StoredMessage::left_for, NullIs{std::nullopt}),
    read_only("compacted_into IS NOT NULL", &StoredMessage::left_out),
    // CASE: SQLite computes both sides of an AND that is no condition
    read_only("CASE compacted_into WHEN 0 THEN restored_from IS NULL OR ifnull(extra ->> "
              "'taken_back', 0) ELSE 0 END",
              &StoredMessage::taken_back),
    read_only("prefix_hash", &StoredMessage::prefix_hash),
};

}  // namespace chorus::store
