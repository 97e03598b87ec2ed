#include "chat/message.hpp"

#include "base/error.hpp"

namespace chorus::chat {

std::string_view name(Role role) {
    switch (role) {
        case Role::user:
            return "user";
        case Role::assistant:
            return "assistant";
        case Role::tool_result:
            return "tool_result";
    }
    return "";
}

Role parse_role(std::string_view text) {
    for (const Role role : {Role::user, Role::assistant, Role::tool_result})
        if (text == name(role)) return role;
    throw base::Error(base::ErrorCode::failed,
                      "message role: unknown role '" + std::string(text) + "'");
}

std::string_view name(StopReason reason) {
    switch (reason) {
        case StopReason::end:
            return "end";
        case StopReason::tool_use:
            return "tool_use";
        case StopReason::max_tokens:
            return "max_tokens";
        case StopReason::context_overflow:
            return "context_overflow";
        case StopReason::refusal:
            return "refusal";
        case StopReason::content_filter:
            return "content_filter";
        case StopReason::pause:
            return "pause";
        case StopReason::truncated_stream:
            return "truncated_stream";
        case StopReason::unknown:
            return "unknown";
    }
    return "";
}

Usage& Usage::operator+=(const Usage& other) {
    input_tokens += other.input_tokens;
    output_tokens += other.output_tokens;
    cache_read_tokens += other.cache_read_tokens;
    cache_write_tokens += other.cache_write_tokens;
    return *this;
}

}  // namespace chorus::chat
