#include "model/gemini.hpp"

#include <utility>

#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "model/attachment.hpp"

namespace chorus::model {
namespace {

using chat::JsonText;
using chat::Message;
using chat::Role;

// Google's documentation gives this text for calls of another model, in place of a signature.
constexpr std::string_view no_signature = "skip_thought_signature_validator";

void write_text_part(JsonText& out, std::string_view text) {
    out.begin_object().member("text", text).end_object();
}

void write_inline_data(JsonText& out, const SentFile& sent) {
    out.begin_object().key("inlineData").begin_object();
    out.member("mimeType", sent.file.mime_type).member("data", sent.base64);
    out.end_object().end_object();
}

void write_functions(JsonText& out, const std::vector<chat::ToolDefinition>& tools) {
    if (tools.empty()) return;
    out.key("tools").begin_array().begin_object().key("functionDeclarations").begin_array();
    for (const chat::ToolDefinition& tool : tools)
        out.begin_object()
            .member("name", tool.name)
            .member("description", tool.description)
            .key("parametersJsonSchema")
            .raw(sendable_schema(tool))
            .end_object();
    out.end_array().end_object().end_array();
}

void write_function_result(JsonText& out, const Message& message, const CallNames& names) {
    out.begin_object().key("functionResponse").begin_object();
    out.member("id", sendable_name(message.tool_call_id));
    out.member("name", names.of(message));
    out.key("response").begin_object();
    out.member(message.is_error ? "error" : "output", message.content);
    out.end_object().end_object().end_object();
}

void write_answer_parts(JsonText& out, const Message& message, bool reasons) {
    if (!base::trim(message.content).empty()) write_text_part(out, message.content);
    bool is_first = true;
    for (const chat::ToolCall& call : message.tool_calls) {
        out.begin_object().key("functionCall").begin_object();
        out.member("id", sendable_name(call.id)).member("name", sendable_name(call.name));
        out.key("args").raw(sendable_arguments(call.arguments)).end_object();
        if (std::exchange(is_first, false) && reasons) out.member("thoughtSignature", no_signature);
        out.end_object();
    }
}

void write_contents(JsonText& out, const chat::Request& request, const Origin& origin,
                    bool reasons) {
    CallNames names;
    // Joins consecutive user messages and results: the roles have to alternate.
    bool is_open = false;
    const auto close = [&] {
        if (std::exchange(is_open, false)) out.end_array().end_object();
    };
    for (const Message* message : in_wire_order(request.messages)) {
        const bool is_answer = message->role == Role::assistant;
        const std::string text = message->role == Role::user ? whole_text(request, *message) : "";
        if (is_answer ? says_nothing(*message) : message->role == Role::user && text.empty())
            continue;
        if (is_answer) close();
        if (!std::exchange(is_open, true))
            out.begin_object()
                .member("role", is_answer ? "model" : "user")
                .key("parts")
                .begin_array();
        if (message->role == Role::user) {
            for (const SentFile& sent : sent_files(request, *message)) write_inline_data(out, sent);
            write_text_part(out, text);
        } else if (!is_answer) {
            write_function_result(out, *message, names);
        } else {
            names.add(*message);
            const std::string* own = own_blocks(*message, origin, "\"functionCall\":");
            if (own)
                out.raw(inside_array(*own));
            else
                write_answer_parts(out, *message, reasons);
            close();
        }
    }
    close();
}

}  // namespace

std::string gemini_path(std::string_view model) {
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string path = "/v1beta/models/";
    for (const char c : model) {
        if (plain.find(c) != plain.npos) {
            path.push_back(c);
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        path.append({'%', digits[byte >> 4U], digits[byte & 0xfU]});
    }
    return path + ":streamGenerateContent?alt=sse";
}

std::string gemini_body(const chat::Request& request, const Origin& origin, bool reasons,
                        std::string_view schema) {
    JsonText out(expected_bytes(request));
    out.begin_object();
    if (const std::string system = whole_system(request); !system.empty()) {
        out.key("systemInstruction").begin_object().key("parts").begin_array();
        write_text_part(out, system);
        out.end_array().end_object();
    }
    write_functions(out, request.tools);
    const bool thinks = reasons || !request.effort.empty();
    if (request.max_output_tokens > 0 || request.temperature || thinks || !schema.empty()) {
        out.key("generationConfig").begin_object();
        if (request.max_output_tokens > 0) out.member("maxOutputTokens", request.max_output_tokens);
        if (request.temperature) out.key("temperature").real(*request.temperature);
        if (!schema.empty())
            out.member("responseMimeType", "application/json")
                .key("responseJsonSchema")
                .raw(schema);
        if (thinks) {
            out.key("thinkingConfig").begin_object();
            if (reasons) out.member("includeThoughts", true);
            if (!request.effort.empty()) out.member("thinkingLevel", request.effort);
            out.end_object();
        }
        out.end_object();
    }
    out.key("contents").begin_array();
    write_contents(out, request, origin, reasons);
    return out.end_array().end_object().take();
}

}  // namespace chorus::model
