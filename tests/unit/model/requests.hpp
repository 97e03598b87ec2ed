// Conversations for the tests of the request writers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "chat/json.hpp"
#include "chat/message.hpp"

namespace chorus::model {

inline chat::Message user(std::string text) {
    chat::Message message;
    message.content = std::move(text);
    return message;
}

inline chat::Message answer(std::string text, std::vector<chat::ToolCall> calls = {}) {
    chat::Message message;
    message.role = chat::Role::assistant;
    message.content = std::move(text);
    message.tool_calls = std::move(calls);
    return message;
}

inline chat::Message result(std::string id, std::string text, bool is_error = false) {
    chat::Message message;
    message.role = chat::Role::tool_result;
    message.tool_call_id = std::move(id);
    message.content = std::move(text);
    message.is_error = is_error;
    return message;
}

inline chat::Request request_of(std::vector<chat::Message> messages) {
    chat::Request request;
    request.model = "m";
    request.messages = std::move(messages);
    return request;
}

inline chat::Request tooled_request() {
    chat::Request request = request_of({user("hi")});
    request.system = "You are \"x\".\n";
    request.tools = {{"bash", "Runs it", R"({"type":"object","required":["command"]})"},
                     {"view", "Shows it", ""}};
    return request;
}

// Every kind of message there is, for the property that requests only grow at their end.
inline std::vector<chat::Message> long_conversation() {
    std::vector<chat::Message> messages{user("project text")};
    for (int i = 0; i < 4; ++i) {
        const std::string n = std::to_string(i);
        messages.push_back(user("prompt " + n));
        messages.back().status = i % 2 == 0 ? "status " + n : "";
        messages.push_back(
            answer(i == 2 ? "" : "let me " + n,
                   {{"a" + n, "bash", R"({"command":"ls"})"}, {"b" + n, "view", "{ broken"}}));
        messages.push_back(result("a" + n, "files " + n));
        messages.push_back(result("b" + n, i == 1 ? "" : "bad arguments", true));
        messages.push_back(answer("done " + n));
    }
    return messages;
}

// The request's messages, marks left out: what must be the beginning of the next request's.
inline chat::Json neutral(const std::string& body, const char* list) {
    chat::Json messages = chat::parse_json(body, "body").at(list);
    for (chat::Json& message : messages)
        if (message.contains("content") && message["content"].is_array())
            for (chat::Json& block : message["content"]) block.erase("cache_control");
    return messages;
}

}  // namespace chorus::model
