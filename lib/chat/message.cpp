#include "chat/message.hpp"

#include "base/error.hpp"

namespace chorus::chat {

Role parse_role(std::string_view text) {
    if (const auto role = roles.find(text)) return *role;
    throw base::Error(base::ErrorCode::failed,
                      "message role: unknown role '" + std::string(text) + "'");
}

std::string label_of(const Attachment& attachment) {
    return attachment.name + " (" + attachment.mime_type + ", " + std::to_string(attachment.size) +
           " bytes)";
}

std::string shown_content(const Message& message) {
    std::string text = message.content;
    for (const Attachment& each : message.attachments) {
        if (!text.empty() && text.back() != '\n') text += '\n';
        text += "[attached: " + label_of(each) + "]";
    }
    return text;
}

Usage& Usage::operator+=(const Usage& other) {
    input_tokens += other.input_tokens;
    output_tokens += other.output_tokens;
    cache_read_tokens += other.cache_read_tokens;
    cache_write_tokens += other.cache_write_tokens;
    reasoning_tokens += other.reasoning_tokens;
    const bool is_known = cost != base::unknown_cost && other.cost != base::unknown_cost;
    cost = is_known ? cost + other.cost : base::unknown_cost;
    return *this;
}

}  // namespace chorus::chat
