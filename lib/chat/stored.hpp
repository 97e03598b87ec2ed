// The stored form of a message's parts: columns tool_calls and extra of the messages table, and the
// same keys in session files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chat/message.hpp"

namespace chorus::chat {

// [{"id","name","arguments"}], arguments being the model's own text. "" for no calls.
std::string store_tool_calls(const std::vector<ToolCall>& calls);
std::vector<ToolCall> load_tool_calls(std::string_view stored);
// {"provider","model","wire","status","is_error","starts_turn","compaction",
// "attachments":[{"sha256","name","mime_type","size"}],"external_id"}, each only where set.
// "" for none.
std::string store_extra(const Message& message);
// Fills the members that store_extra wrote.
void load_extra(std::string_view stored, Message& message);

}  // namespace chorus::chat
