// The rows of the catalog: each provider's protocol, and where its server deviates from it.
#pragma once

#include <string_view>

#include "model/model.hpp"

namespace chorus::model {

enum class Protocol { anthropic, responses, chat, script };

// Which reasoning a server of the chat protocol expects back with the assistant's message.
enum class ReasoningBack {
    none,
    content,  // `reasoning_content` on messages with tool calls, "" if there was none
    details,  // `reasoning_details` as received
};

struct Quirks {
    std::string_view max_tokens = "max_tokens";
    std::string_view system_role = "system";
    ReasoningBack reasoning = ReasoningBack::none;
    bool stream_options = true;  // false: the server refuses them and reports usage anyway
    bool parallel_tool_calls = true;
    bool short_call_ids = false;  // ids of exactly nine letters and digits
};

struct CatalogRow {
    Provider provider;
    Protocol protocol = Protocol::chat;
    Quirks quirks;
};

const CatalogRow* find_row(std::string_view provider);
// Returns the row's quirks, or those of a compatible server if `base_url` is not the row's own.
Quirks quirks_at(const CatalogRow& row, std::string_view base_url);

}  // namespace chorus::model
