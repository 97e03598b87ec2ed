#include "model/openai_responses.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "model/attachment.hpp"

namespace chorus::model {
namespace {

using chat::JsonText;
using chat::Message;
using chat::Role;

void write_tools(JsonText& out, const std::vector<chat::ToolDefinition>& tools) {
    if (tools.empty()) return;
    out.key("tools").begin_array();
    for (const chat::ToolDefinition& tool : tools)
        out.begin_object()
            .member("type", "function")
            .member("name", tool.name)
            .member("description", tool.description)
            .key("parameters")
            .raw(sendable_schema(tool))
            .member("strict", false)
            .end_object();
    out.end_array();
}

void write_part(JsonText& out, std::string_view text) {
    out.begin_object().member("type", "input_text").member("text", text).end_object();
}

void write_input_file(JsonText& out, const SentFile& sent) {
    out.begin_object().member("type", is_image(sent) ? "input_image" : "input_file");
    if (!is_image(sent)) out.member("filename", sent.file.name);
    out.member(is_image(sent) ? "image_url" : "file_data", data_url(sent)).end_object();
}

void write_user(JsonText& out, const chat::Request& request, const Message& message) {
    const std::string status = status_text(request, message);
    if (status.empty() && message.content.empty()) return;
    out.begin_object().member("role", "user").key("content");
    if (status.empty()) {
        out.string(message.content);
    } else {
        out.begin_array();
        for (const SentFile& sent : sent_files(request, message)) write_input_file(out, sent);
        write_part(out, status);
        if (!message.content.empty()) write_part(out, message.content);
        out.end_array();
    }
    out.end_object();
}

void write_result(JsonText& out, const Message& message) {
    out.begin_object().member("type", "function_call_output");
    out.member("call_id", sendable_name(message.tool_call_id));
    out.member("output", message.content).end_object();
}

void write_call(JsonText& out, const chat::ToolCall& call) {
    out.begin_object().member("type", "function_call");
    out.member("call_id", sendable_name(call.id));
    out.member("name", sendable_name(call.name));
    out.member("arguments", sendable_arguments(call.arguments)).end_object();
}

void write_answer(JsonText& out, const Message& message, const Origin& origin) {
    if (const std::string* own = own_blocks(message, origin, R"("type":"function_call")")) {
        out.raw(inside_array(*own));
        return;
    }
    if (!base::trim(message.content).empty())
        out.begin_object()
            .member("role", "assistant")
            .member("content", message.content)
            .end_object();
    for (const chat::ToolCall& call : message.tool_calls) write_call(out, call);
}

}  // namespace

Reasoning reasoning_after(Reasoning asked, std::string_view refusal) {
    const std::string lower = base::to_lower_ascii(refusal);
    const auto names = [&](const char* word) { return lower.find(word) != lower.npos; };
    if (asked == Reasoning::summarized && names("summar")) return Reasoning::encrypted;
    const bool is_about_it = names("encrypted") || names("include") || names("reasoning");
    return is_about_it ? Reasoning::none : asked;
}

std::string responses_body(const chat::Request& request, const Origin& origin, Reasoning reasoning,
                           bool parallel_tool_calls, std::string_view schema) {
    JsonText out(expected_bytes(request));
    out.begin_object().member("model", request.model);
    out.member("stream", true).member("store", false);
    const bool is_summarized = reasoning == Reasoning::summarized;
    if (is_summarized || !request.effort.empty()) {
        out.key("reasoning").begin_object();
        if (!request.effort.empty()) out.member("effort", request.effort);
        if (is_summarized) out.member("summary", "auto");
        out.end_object();
    }
    if (!schema.empty())
        out.key("text")
            .begin_object()
            .key("format")
            .begin_object()
            .member("type", "json_schema")
            .member("name", "answer")
            .key("schema")
            .raw(schema)
            .end_object()
            .end_object();
    if (request.temperature) out.key("temperature").real(*request.temperature);
    if (reasoning != Reasoning::none)
        out.key("include").begin_array().string("reasoning.encrypted_content").end_array();
    if (request.max_output_tokens > 0) out.member("max_output_tokens", request.max_output_tokens);
    if (const std::string system = whole_system(request); !system.empty())
        out.member("instructions", system);
    write_tools(out, request.tools);
    if (parallel_tool_calls && !request.tools.empty()) out.member("parallel_tool_calls", true);
    out.key("input").begin_array();
    for (const Message* message : in_wire_order(request.messages)) {
        if (message->role == Role::user)
            write_user(out, request, *message);
        else if (message->role == Role::tool_result)
            write_result(out, *message);
        else
            write_answer(out, *message, origin);
    }
    return out.end_array().end_object().take();
}

}  // namespace chorus::model
