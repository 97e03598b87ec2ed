#include "model/openai_chat.hpp"

#include <algorithm>
#include <utility>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "model/attachment.hpp"

namespace chorus::model {
namespace {

using chat::JsonText;
using chat::Message;
using chat::Role;

constexpr std::size_t short_id_length = 9;

bool is_short_id(const std::string& id) {
    return id.size() == short_id_length && std::all_of(id.begin(), id.end(), [](unsigned char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
           });
}

std::string call_id(const std::string& id, const Quirks& quirks) {
    if (!quirks.short_call_ids) return sendable_name(id);
    return is_short_id(id) ? id : base::sha256_hex(id).substr(0, short_id_length);
}

void write_text_message(JsonText& out, std::string_view role, std::string_view text) {
    out.begin_object().member("role", role).member("content", text).end_object();
}

void write_tools(JsonText& out, const std::vector<chat::ToolDefinition>& tools,
                 const Quirks& quirks) {
    // some servers refuse an empty list, and OpenAI refuses parallel_tool_calls without tools
    if (tools.empty()) return;
    write_function_tools(out, tools);
    if (quirks.parallel_tool_calls) out.member("parallel_tool_calls", true);
}

void write_result(JsonText& out, const Message& message, const Quirks& quirks) {
    out.begin_object().member("role", "tool");
    out.member("tool_call_id", call_id(message.tool_call_id, quirks));
    out.member("content", message.content).end_object();
}

void write_calls(JsonText& out, const Message& message, const Quirks& quirks) {
    if (message.tool_calls.empty()) return;
    out.key("tool_calls").begin_array();
    for (const chat::ToolCall& call : message.tool_calls)
        out.begin_object()
            .member("id", call_id(call.id, quirks))
            .member("type", "function")
            .key("function")
            .begin_object()
            .member("name", sendable_name(call.name))
            .member("arguments", sendable_arguments(call.arguments))
            .end_object()
            .end_object();
    out.end_array();
}

// In the chat protocol, own blocks are {"reasoning_content":…} in an array.
void write_reasoning(JsonText& out, const Message& message, const Origin& origin,
                     const Quirks& quirks) {
    if (quirks.reasoning == ReasoningBack::none || message.tool_calls.empty()) return;
    if (const std::string_view members = own_members(message, origin); !members.empty())
        out.raw(members);
    else if (quirks.reasoning == ReasoningBack::content)
        out.member("reasoning_content", "");
}

void write_answer(JsonText& out, const Message& message, const Origin& origin,
                  const Quirks& quirks) {
    const bool is_blank = base::trim(message.content).empty();
    out.begin_object().member("role", "assistant").key("content");
    is_blank ? out.null() : out.string(message.content);
    write_reasoning(out, message, origin, quirks);
    write_calls(out, message, quirks);
    out.end_object();
}

void write_file_part(JsonText& out, const SentFile& sent, const Quirks& quirks) {
    if (!is_image(sent) && quirks.document_url) {
        out.begin_object().member("type", "document_url");
        out.member("document_url", data_url(sent)).end_object();
        return;
    }
    out.begin_object().member("type", is_image(sent) ? "image_url" : "file");
    out.key(is_image(sent) ? "image_url" : "file").begin_object();
    if (!is_image(sent)) out.member("filename", sent.file.name);
    out.member(is_image(sent) ? "url" : "file_data", data_url(sent)).end_object().end_object();
}

void write_user(JsonText& out, const std::vector<SentFile>& files, std::string_view text,
                const Quirks& quirks) {
    if (files.empty()) return write_text_message(out, "user", text);
    out.begin_object().member("role", "user").key("content").begin_array();
    for (const SentFile& sent : files) write_file_part(out, sent, quirks);
    out.begin_object().member("type", "text").member("text", text).end_object();
    out.end_array().end_object();
}

void write_messages(JsonText& out, const chat::Request& request, const Origin& origin,
                    const Quirks& quirks) {
    if (const std::string system = whole_system(request); !system.empty())
        write_text_message(out, quirks.system_role, system);
    // Joins consecutive user messages: the templates of many models require alternating roles.
    std::string user;
    std::vector<SentFile> files;
    const auto write_joined = [&] {
        if (!user.empty())
            write_user(out, std::exchange(files, {}), std::exchange(user, {}), quirks);
    };
    for (const Message* message : in_wire_order(request.messages)) {
        if (message->role == Role::user) {
            const std::string text = whole_text(request, *message);
            if (!user.empty() && !text.empty()) user += "\n\n";
            user += text;
            for (const SentFile& sent : sent_files(request, *message)) files.push_back(sent);
            continue;
        }
        if (message->role == Role::assistant && says_nothing(*message)) continue;
        write_joined();
        if (message->role == Role::tool_result)
            write_result(out, *message, quirks);
        else
            write_answer(out, *message, origin, quirks);
    }
    write_joined();
}

void write_effort(JsonText& out, const chat::Request& request, const Quirks& quirks) {
    const std::string& effort = request.effort.empty() ? quirks.effort : request.effort;
    if (effort.empty()) return;
    if (quirks.reasoning == ReasoningBack::details)
        out.key("reasoning").begin_object().member("effort", effort).end_object();
    else
        out.member("reasoning_effort", effort);
}

}  // namespace

bool adapt(Quirks& quirks, std::string_view refusal) {
    constexpr std::string_view new_limit = "max_completion_tokens";
    const auto names = [&](std::string_view word) { return refusal.find(word) != refusal.npos; };
    if (quirks.stream_options && names("stream_options")) {
        quirks.stream_options = false;
    } else if (quirks.parallel_tool_calls && names("parallel_tool_calls")) {
        quirks.parallel_tool_calls = false;
    } else if (quirks.max_tokens != new_limit && names("max_tokens") && names(new_limit)) {
        quirks.max_tokens = new_limit;
    } else if (quirks.effort.empty() && names("reasoning_effort") && names("tools")) {
        // OpenAI's reasoning models call tools here only without reasoning
        quirks.effort = "none";
    } else if (quirks.system_role == "developer" && names("developer")) {
        quirks.system_role = "system";
    } else {
        return false;
    }
    return true;
}

std::string chat_body(const chat::Request& request, const Origin& origin, const Quirks& quirks,
                      std::string_view schema) {
    JsonText out(expected_bytes(request));
    out.begin_object().member("model", request.model).member("stream", true);
    if (quirks.stream_options)
        out.key("stream_options").begin_object().member("include_usage", true).end_object();
    if (request.max_output_tokens > 0) out.member(quirks.max_tokens, request.max_output_tokens);
    if (request.temperature) out.key("temperature").real(*request.temperature);
    write_effort(out, request, quirks);
    if (!schema.empty())
        out.key("response_format")
            .begin_object()
            .member("type", "json_schema")
            .key("json_schema")
            .begin_object()
            .member("name", "answer")
            .key("schema")
            .raw(schema)
            .end_object()
            .end_object();
    write_tools(out, request.tools, quirks);
    out.key("messages").begin_array();
    write_messages(out, request, origin, quirks);
    return out.end_array().end_object().take();
}

}  // namespace chorus::model
