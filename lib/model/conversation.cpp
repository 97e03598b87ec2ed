#include "model/conversation.hpp"

#include <algorithm>
#include <array>

#include "base/id.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"

namespace chorus::model {
namespace {

constexpr std::size_t longest_name = 64;

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

}  // namespace

std::size_t expected_bytes(const chat::Request& request) {
    constexpr std::size_t framing = 96;  // of a message or a tool
    std::size_t bytes = 1024 + request.system.size() + request.documents.size();
    for (const chat::ToolDefinition& tool : request.tools)
        bytes += framing + tool.description.size() + tool.schema.size();
    for (const chat::Message& message : request.messages) {
        bytes += framing + message.content.size() + message.status.size();
        for (const chat::ToolCall& call : message.tool_calls)
            bytes += framing + call.arguments.size();
        if (message.opaque) bytes += message.opaque->wire.size();
    }
    for (const auto& [sha256, base64] : request.attachments) bytes += framing + base64.size();
    return bytes + bytes / 16;
}

std::vector<const chat::Message*> in_wire_order(const std::vector<chat::Message>& messages) {
    std::vector<const chat::Message*> order;
    order.reserve(messages.size());
    for (const chat::Message& message : messages) order.push_back(&message);
    const auto is_answer = [](const chat::Message* m) { return m->role == chat::Role::assistant; };
    const auto is_result = [](const chat::Message* m) {
        return m->role == chat::Role::tool_result;
    };
    for (auto begin = order.begin(); begin != order.end();) {
        const auto end = std::find_if(begin, order.end(), is_answer);
        if (!std::is_partitioned(begin, end, is_result))
            std::stable_partition(begin, end, is_result);
        begin = std::find_if_not(end, order.end(), is_answer);
    }
    return order;
}

bool is_json_object(std::string_view text) {
    text = base::trim(text);
    return !text.empty() && text.front() == '{' && chat::Json::accept(text);
}

std::string_view sendable_arguments(std::string_view arguments) {
    return is_json_object(arguments) ? arguments : std::string_view("{}");
}

std::string_view sendable_schema(const chat::ToolDefinition& tool) {
    return tool.schema.empty() ? std::string_view(R"({"type":"object","properties":{}})")
                               : std::string_view(tool.schema);
}

std::string sendable_name(std::string_view text) {
    std::string name(text.substr(0, longest_name));
    for (char& c : name)
        if (!is_name_character(c)) c = '_';
    return name.empty() ? "unnamed" : name;
}

const std::string* own_blocks(const chat::Message& message, const Origin& origin,
                              std::string_view call_mark) {
    if (!message.opaque || message.opaque->provider != origin.provider ||
        message.opaque->model != origin.model || inside_array(message.opaque->wire).empty())
        return nullptr;
    const std::string& wire = message.opaque->wire;
    const bool lost_its_calls =
        message.tool_calls.empty() && wire.find(call_mark) != std::string::npos;
    return lost_its_calls ? nullptr : &wire;
}

bool refuses_own_blocks(std::string_view message) {
    static constexpr std::array words{"signature",
                                      "thinking block",
                                      "thinking` block",
                                      "redacted_thinking",
                                      "decrypt",
                                      "could not be verified",
                                      "reasoning_details",
                                      "required following item",
                                      "invalid_encrypted_content"};
    const std::string lower = base::to_lower_ascii(message);
    return std::any_of(words.begin(), words.end(),
                       [&](const char* word) { return lower.find(word) != lower.npos; });
}

bool refuses_schema(std::string_view message) {
    constexpr std::array<std::string_view, 6> words{"schema",          "output_config",
                                                    "response_format", "response mime type",
                                                    "text.format",     "structured output"};
    const std::string lower = base::to_lower_ascii(message);
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return lower.find(word) != lower.npos; });
}

std::string_view inside_array(std::string_view wire) {
    wire = base::trim(wire);
    if (wire.size() < 2 || wire.front() != '[' || wire.back() != ']') return {};
    return base::trim(wire.substr(1, wire.size() - 2));
}

std::string_view own_members(const chat::Message& message, const Origin& origin) {
    const std::string* own = own_blocks(message, origin, "\"tool_calls\":");
    const std::string_view object = own ? inside_array(*own) : std::string_view();
    const bool has_members = object.size() > 2 && object.front() == '{' && object.back() == '}';
    return has_members ? object.substr(1, object.size() - 2) : std::string_view();
}

void write_function_tools(chat::JsonText& out, const std::vector<chat::ToolDefinition>& tools) {
    if (tools.empty()) return;
    out.key("tools").begin_array();
    for (const chat::ToolDefinition& tool : tools)
        out.begin_object()
            .member("type", "function")
            .key("function")
            .begin_object()
            .member("name", tool.name)
            .member("description", tool.description)
            .key("parameters")
            .raw(sendable_schema(tool))
            .end_object()
            .end_object();
    out.end_array();
}

std::string whole_system(const chat::Request& request) {
    return request.system + request.documents;
}

void CallNames::add(const chat::Message& answer) {
    for (const chat::ToolCall& call : answer.tool_calls) names_[call.id] = sendable_name(call.name);
}

std::string CallNames::of(const chat::Message& result) const {
    const auto name = names_.find(result.tool_call_id);
    return name == names_.end() ? "unnamed" : name->second;
}

bool says_nothing(const chat::Message& message) {
    return message.tool_calls.empty() && base::trim(message.content).empty();
}

std::string usable_call_id(std::string_view id, std::set<std::string>& taken) {
    std::string usable = id.empty() ? std::string() : sendable_name(id);
    if (usable.empty() || taken.contains(usable)) usable = "call_" + base::random_short_id(10);
    taken.insert(usable);
    return usable;
}

}  // namespace chorus::model
