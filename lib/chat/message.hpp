// The data types of a conversation, shared by `store` and `model`, which do not depend on each
// other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.hpp"
#include "base/money.hpp"
#include "base/time.hpp"

namespace chorus::chat {

enum class Role { user, assistant, tool_result };
inline constexpr base::EnumNames<Role, 3> roles{{"user", "assistant", "tool_result"}};
inline std::string_view name(Role role) {
    return roles.name(role);
}
// Throws Error(failed) for an unknown role, which the database should not contain.
Role parse_role(std::string_view text);

struct ToolCall {
    std::string id;         // the provider's; the adapter makes one up if it gave none
    std::string name;       // as the model wrote it, known or not
    std::string arguments;  // JSON text as the model wrote it; may be malformed
    friend bool operator==(const ToolCall&, const ToolCall&) = default;
};

// The assistant's blocks in the provider's own form, sent back byte for byte: thinking, signatures,
// encrypted reasoning. Valid only for that provider and model.
struct Opaque {
    std::string provider;
    std::string model;
    std::string wire;  // a JSON array in that provider's own form
    friend bool operator==(const Opaque&, const Opaque&) = default;
};

// A file that the user attached to a message: an image or a PDF. The record keeps its bytes once
// for each agent (store/attachments.hpp); an attached text is part of the message's content
// instead.
struct Attachment {
    std::string sha256;     // of the bytes, 64 hexadecimal digits
    std::string name;       // of the file, without its directory
    std::string mime_type;  // "image/png"
    std::int64_t size = 0;  // bytes
    friend bool operator==(const Attachment&, const Attachment&) = default;
};

// "photo.png (image/png, 1234 bytes)"
std::string label_of(const Attachment& attachment);

struct Message {
    std::int64_t id = 0;  // 0: not stored yet
    Role role = Role::user;
    std::string content;
    std::vector<ToolCall> tool_calls;          // assistant
    std::string tool_call_id;                  // tool_result
    bool is_error = false;                     // tool_result
    std::optional<Opaque> opaque;              // assistant
    std::vector<Attachment> attachments = {};  // user; sent before content
    bool sends_attachments = false;            // in a request: as files, not only their names
    std::string status;            // user: the status block rendered once, sent before content
    bool starts_turn = false;      // user: the window may be cut before it
    bool is_compaction = false;    // user: replaces all earlier messages, so it comes first
    std::string external_id = {};  // in the program that it was imported from
    std::int64_t turn_id = 0;
    base::TimeMs timestamp = 0;
    friend bool operator==(const Message&, const Message&) = default;
};

// Returns a message's text for people to read: the content and, for each attachment, a line that
// names it.
std::string shown_content(const Message& message);

struct Usage {
    std::int64_t input_tokens = 0;  // all of them, cached ones included
    std::int64_t output_tokens = 0;
    std::int64_t cache_read_tokens = 0;
    std::int64_t cache_write_tokens = 0;
    std::int64_t reasoning_tokens = 0;  // a part of output_tokens, as far as the provider says
    base::MicroUsd cost = 0;            // base::unknown_cost if the price of a part is not known

    Usage& operator+=(const Usage& other);
    friend bool operator==(const Usage&, const Usage&) = default;
};

enum class StopReason {
    end,
    tool_use,
    max_tokens,
    context_overflow,
    refusal,
    content_filter,
    pause,
    truncated_stream,
    unknown,  // a word that the protocol does not define
};

struct ToolDefinition {
    std::string name;
    std::string description;
    std::string schema;  // JSON Schema of the arguments, as text
};

// One call of a model, independent of the vendor.
struct Request {
    std::string model;  // without the provider
    std::string system;
    std::string documents;  // appended to the system prompt; they change more often
    std::vector<ToolDefinition> tools;
    std::vector<Message> messages;  // first one from the user; every call paired with its result
    std::int64_t max_output_tokens = 0;  // 0: the provider's default
    std::string effort = {};             // of reasoning, as the provider names it; likewise ""
    std::optional<double> temperature = {};
    std::string answer_schema = {};  // JSON Schema of the final answer, or ""
    // The files that messages send, as base64 by SHA-256. One that is not here is only named.
    std::map<std::string, std::string> attachments = {};
};

struct Reply {
    std::string text;
    std::vector<ToolCall> tool_calls;
    std::optional<Opaque> opaque;
    StopReason stop = StopReason::end;
    std::string raw_stop;  // the provider's word for it
    Usage usage;
};

struct ToolResult {
    std::string text;
    bool is_error = false;
    bool ends_turn = false;  // --on-ask fail: a sub-agent asked
};

// The change that a call makes in a file.
struct Change {
    std::string patch;       // unified diff; "" if no file changes
    std::int64_t added = 0;  // lines
    std::int64_t removed = 0;
};

}  // namespace chorus::chat
