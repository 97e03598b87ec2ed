// The catalog: how each provider is reached, and where its server deviates from its protocol.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

struct Provider {
    std::string_view name;
    std::string_view key_variable;  // if needs_key is false, it is sent only if set
    std::string_view base_url;
    std::string_view default_model;  // "" if there is none
    bool needs_key = true;
    Protocol protocol = Protocol::chat;
    Quirks quirks = {};
};
std::span<const Provider> catalog();
std::vector<std::string> provider_names();
const Provider* find_provider(std::string_view name);
// Returns the provider's quirks, or those of a compatible server if `base_url` is not its own.
Quirks quirks_at(const Provider& provider, std::string_view base_url);
// Returns the context size of a model in tokens if it is known and the same wherever the model
// runs, else 0. `model` is the full name.
std::int64_t known_context_tokens(std::string_view model);

}  // namespace chorus::model
