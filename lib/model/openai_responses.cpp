#include "model/openai_responses.hpp"

#include "chat/json_text.hpp"

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
            .key("type")
            .string("function")
            .key("name")
            .string(tool.name)
            .key("description")
            .string(tool.description)
            .key("parameters")
            .raw(sendable_schema(tool))
            .key("strict")
            .boolean(false)
            .end_object();
    out.end_array().key("parallel_tool_calls").boolean(true);
}

void write_part(JsonText& out, std::string_view text) {
    out.begin_object().key("type").string("input_text").key("text").string(text).end_object();
}

void write_user(JsonText& out, const Message& message) {
    if (message.status.empty() && message.content.empty()) return;
    out.begin_object().key("role").string("user").key("content");
    if (message.status.empty()) {
        out.string(message.content);
    } else {
        out.begin_array();
        write_part(out, message.status);
        if (!message.content.empty()) write_part(out, message.content);
        out.end_array();
    }
    out.end_object();
}

void write_result(JsonText& out, const Message& message) {
    out.begin_object().key("type").string("function_call_output");
    out.key("call_id").string(sendable_name(message.tool_call_id));
    out.key("output").string(message.content).end_object();
}

void write_call(JsonText& out, const chat::ToolCall& call) {
    out.begin_object().key("type").string("function_call");
    out.key("call_id").string(sendable_name(call.id));
    out.key("name").string(sendable_name(call.name));
    out.key("arguments").string(sendable_arguments(call.arguments)).end_object();
}

void write_answer(JsonText& out, const Message& message, const Origin& origin) {
    if (const std::string* own = own_blocks(message, origin, R"("type":"function_call")")) {
        out.raw(inside_array(*own));
        return;
    }
    if (!message.content.empty())
        out.begin_object()
            .key("role")
            .string("assistant")
            .key("content")
            .string(message.content)
            .end_object();
    for (const chat::ToolCall& call : message.tool_calls) write_call(out, call);
}

}  // namespace

std::string responses_body(const chat::Request& request, const Origin& origin) {
    JsonText out(expected_bytes(request));
    out.begin_object().key("model").string(request.model);
    out.key("stream").boolean(true).key("store").boolean(false);
    out.key("include").begin_array().string("reasoning.encrypted_content").end_array();
    if (request.max_output_tokens > 0)
        out.key("max_output_tokens").number(request.max_output_tokens);
    if (!request.system.empty()) out.key("instructions").string(request.system);
    write_tools(out, request.tools);
    out.key("input").begin_array();
    for (const Message* message : in_wire_order(request.messages)) {
        switch (message->role) {
            case Role::user:
                write_user(out, *message);
                break;
            case Role::tool_result:
                write_result(out, *message);
                break;
            case Role::assistant:
                write_answer(out, *message, origin);
                break;
        }
    }
    return out.end_array().end_object().take();
}

}  // namespace chorus::model
