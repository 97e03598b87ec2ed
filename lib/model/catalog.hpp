// What the rows of the catalog know beside their names: the protocol and where a server departs
// from it.
#pragma once

#include <string_view>

#include "model/model.hpp"

namespace chorus::model {

enum class Protocol { anthropic, responses, chat, script };

// Which reasoning a server of the chat protocol wants back with the assistant's message.
enum class ReasoningBack {
    none,
    content,  // `reasoning_content` on messages with tool calls, "" where there was none
    details,  // `reasoning_details` as they came
};

struct Quirks {
    std::string_view max_tokens = "max_tokens";
    std::string_view system_role = "system";
    ReasoningBack reasoning = ReasoningBack::none;
    bool stream_options = true;  // false: they are refused, and usage comes unasked
    bool parallel_tool_calls = true;
    bool short_call_ids = false;  // ids of exactly nine letters and digits
};

struct Row {
    Provider provider;
    Protocol protocol = Protocol::chat;
    Quirks quirks;
};

const Row* find_row(std::string_view provider);
// The row's, and those of a compatible server where `base_url` is not the row's own.
Quirks quirks_at(const Row& row, std::string_view base_url);

}  // namespace chorus::model
