#include "model/anthropic.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/number.hpp"
#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "model/attachment.hpp"

namespace chorus::model {
namespace {

using chat::JsonText;
using chat::Message;
using chat::Role;

constexpr std::string_view cache_mark = R"({"type":"ephemeral"})";

enum class Mark { no, yes };

void end_block(JsonText& out, Mark mark) {
    if (mark == Mark::yes) out.key("cache_control").raw(cache_mark);
    out.end_object();
}

void write_text(JsonText& out, std::string_view text, Mark mark = Mark::no) {
    out.begin_object().member("type", "text").member("text", text);
    end_block(out, mark);
}

// Puts a cache mark after the prompt, which the tools precede, and one after the documents, so that
// an edit of the documents leaves the rest cached.
void write_system(JsonText& out, const chat::Request& request, Mark mark) {
    if (request.system.empty() && request.documents.empty()) return;
    out.key("system").begin_array();
    if (!request.system.empty()) write_text(out, request.system, mark);
    if (!request.documents.empty()) write_text(out, request.documents, mark);
    out.end_array();
}

void write_tools(JsonText& out, const std::vector<chat::ToolDefinition>& tools, Mark mark) {
    if (tools.empty()) return;
    out.key("tools").begin_array();
    for (const chat::ToolDefinition& tool : tools) {
        out.begin_object().member("name", tool.name);
        out.member("description", tool.description);
        out.key("input_schema").raw(sendable_schema(tool));
        end_block(out, &tool == &tools.back() ? mark : Mark::no);
    }
    out.end_array();
}

void write_result(JsonText& out, const Message& message, Mark mark) {
    out.begin_object().member("type", "tool_result");
    out.member("tool_use_id", sendable_name(message.tool_call_id));
    if (!message.content.empty()) {
        out.key("content").begin_array();
        write_text(out, message.content);
        out.end_array();
    }
    if (message.is_error) out.member("is_error", true);
    end_block(out, mark);
}

// The API refuses empty text blocks.
bool has_blocks(const Message& message) {
    return message.role == Role::tool_result || !message.status.empty() ||
           !message.content.empty() || !message.attachments.empty();
}

void write_file_block(JsonText& out, const SentFile& sent) {
    out.begin_object().member("type", is_image(sent) ? "image" : "document");
    out.key("source").begin_object().member("type", "base64");
    out.member("media_type", sent.file.mime_type).member("data", sent.base64).end_object();
    if (!is_image(sent)) out.member("title", sent.file.name);
    out.end_object();
}

void write_user_blocks(JsonText& out, const chat::Request& request, const Message& message,
                       Mark mark) {
    if (message.role == Role::tool_result) return write_result(out, message, mark);
    for (const SentFile& sent : sent_files(request, message)) write_file_block(out, sent);
    if (const std::string status = status_text(request, message); !status.empty())
        write_text(out, status, message.content.empty() ? mark : Mark::no);
    if (!message.content.empty()) write_text(out, message.content, mark);
}

void write_answer_blocks(JsonText& out, const Message& message) {
    const std::string_view text = base::trim_end(message.content);
    if (!text.empty()) write_text(out, text);
    for (const chat::ToolCall& call : message.tool_calls)
        out.begin_object()
            .member("type", "tool_use")
            .member("id", sendable_name(call.id))
            .member("name", sendable_name(call.name))
            .key("input")
            .raw(sendable_arguments(call.arguments))
            .end_object();
}

void write_answer(JsonText& out, const Message& message, const std::string* own) {
    out.begin_object().member("role", "assistant").key("content");
    if (own) {
        out.raw(*own);
    } else {
        out.begin_array();
        write_answer_blocks(out, message);
        out.end_array();
    }
    out.end_object();
}

// Returns the newest message that is not the model's, and the one that was newest in the previous
// request: the provider looks for cached content only some blocks back from a mark, and one answer
// may add many.
std::array<const Message*, 2> to_mark(const std::vector<const Message*>& messages) {
    std::array<const Message*, 2> marked{};
    std::size_t found = 0;
    for (auto at = messages.rbegin(); at != messages.rend() && found < marked.size(); ++at) {
        if ((*at)->role == Role::assistant)
            found = marked.front() == nullptr ? 0 : 1;
        else if (has_blocks(**at) && marked[found] == nullptr)
            marked[found] = *at;
        if (marked.back() != nullptr) break;
    }
    return marked;
}

void write_messages(JsonText& out, const chat::Request& request, const Origin& origin, Mark mark) {
    const std::vector<const Message*> messages = in_wire_order(request.messages);
    const std::array<const Message*, 2> marked = to_mark(messages);
    // Joins consecutive user messages and tool results into one user message.
    bool is_open = false;
    const auto close = [&] {
        if (std::exchange(is_open, false)) out.end_array().end_object();
    };
    for (const Message* message : messages) {
        if (message->role != Role::assistant) {
            if (!has_blocks(*message)) continue;
            if (!std::exchange(is_open, true))
                out.begin_object().member("role", "user").key("content").begin_array();
            const bool is_marked = message == marked.front() || message == marked.back();
            write_user_blocks(out, request, *message, is_marked ? mark : Mark::no);
            continue;
        }
        const std::string* own = own_blocks(*message, origin, R"("type":"tool_use")");
        if (!own && says_nothing(*message)) continue;
        close();
        write_answer(out, *message, own);
    }
    close();
}

// The largest max_tokens that a refusal names, or `most`.
std::int64_t most_tokens_after(std::int64_t most, std::string_view refusal) {
    constexpr std::string_view begin = "max_tokens: ";
    constexpr std::string_view relation = " > ";
    const std::size_t at = refusal.find(begin);
    if (at == refusal.npos) return most;
    const std::string_view numbers = refusal.substr(at + begin.size());
    const std::size_t asked_end = numbers.find_first_not_of("0123456789");
    if (asked_end == numbers.npos || !numbers.substr(asked_end).starts_with(relation)) return most;
    std::string_view rest = numbers.substr(asked_end + relation.size());
    const std::int64_t named = base::take_number<std::int64_t>(rest).value_or(0);
    return named > 0 && (most == 0 || named < most) ? named : most;
}

}  // namespace

bool adapt(AnthropicQuirks& quirks, std::string_view refusal) {
    if (quirks.cache_control && refusal.find("cache_control") != refusal.npos) {
        quirks.cache_control = false;
        return true;
    }
    const std::int64_t most = most_tokens_after(quirks.most_tokens, refusal);
    return std::exchange(quirks.most_tokens, most) != most;
}

std::string anthropic_body(const chat::Request& request, const Origin& origin,
                           const AnthropicQuirks& quirks, std::string_view schema) {
    JsonText out(expected_bytes(request));
    out.begin_object().member("model", request.model);
    const std::int64_t wanted =
        request.max_output_tokens > 0 ? request.max_output_tokens : default_max_tokens;
    out.member("max_tokens",
               quirks.most_tokens > 0 ? std::min(wanted, quirks.most_tokens) : wanted);
    out.member("stream", true);
    if (request.temperature) out.key("temperature").real(*request.temperature);
    if (!request.effort.empty() || !schema.empty()) {
        out.key("output_config").begin_object();
        if (!request.effort.empty()) out.member("effort", request.effort);
        if (!schema.empty())
            out.key("format")
                .begin_object()
                .member("type", "json_schema")
                .key("schema")
                .raw(schema)
                .end_object();
        out.end_object();
    }
    const Mark mark = quirks.cache_control ? Mark::yes : Mark::no;
    write_system(out, request, mark);
    write_tools(out, request.tools, request.system.empty() ? mark : Mark::no);
    out.key("messages").begin_array();
    write_messages(out, request, origin, mark);
    return out.end_array().end_object().take();
}

}  // namespace chorus::model
