// What a model says, neutrally, in the words of each protocol.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace loopback {

using Json = nlohmann::ordered_json;

enum class Dialect { anthropic, responses, chat, gemini, ollama, none };

// By the path of a POST, its query left out.
Dialect dialect_of(std::string_view path);

struct Asked {
    Dialect dialect = Dialect::none;
    std::string model;
    int number = 0;  // makes ids
    bool wants_usage = true;
    std::string head = {};  // of the request
    std::string said = {};  // the text that the last message ends with, in the form of Anthropic
};

// One string an event, blank line included. Text outside ASCII is alternately raw and escaped.
std::vector<std::string> render(const Json& say, const Asked& asked);

// GET /v1/models, /v1beta/models and /api/tags.
std::string model_list(Dialect dialect);

}  // namespace loopback
