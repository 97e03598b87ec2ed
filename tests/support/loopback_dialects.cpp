#include "loopback_dialects.hpp"

#include <algorithm>

#include "loopback_said.hpp"

namespace loopback {
namespace {

Call read_call(const Json& call, const Asked& asked, std::size_t index) {
    bool escape_next = true;
    Call out;
    out.id = call.value("id", "call_" + std::to_string(asked.number) + "_" + std::to_string(index));
    out.name = call.value("name", "");
    out.arguments =
        call.contains("arguments_text")
            ? call["arguments_text"].get<std::string>()
            : with_some_escapes(call.value("arguments", Json::object()).dump(), escape_next);
    return out;
}

}  // namespace

Said read_said(const Json& say, const Asked& asked) {
    Said said;
    said.thinking = say.value("thinking", "");
    said.signature = say.value("signature", "");
    said.text = say.value("text", "");
    for (const Json& call : say.value("tool_calls", Json::array()))
        said.calls.push_back(read_call(call, asked, said.calls.size()));
    said.stop = say.value("stop", said.calls.empty() ? "end" : "tool_use");
    const Json usage = say.value("usage", Json::object());
    said.usage.input = usage.value("input", said.usage.input);
    said.usage.output = usage.value("output", said.usage.output);
    said.usage.cache_read = usage.value("cache_read", 0L);
    said.usage.cache_write = usage.value("cache_write", 0L);
    said.error = say.value("error", Json());
    return said;
}

std::vector<std::string> text_pieces(const std::string& text) {
    return pieces(text, std::max<std::size_t>(10, text.size() / 200));
}

Dialect dialect_of(std::string_view path) {
    path = path.substr(0, path.find('?'));
    if (path.ends_with("/messages")) return Dialect::anthropic;
    if (path.ends_with("/responses")) return Dialect::responses;
    if (path.ends_with("/chat/completions")) return Dialect::chat;
    if (path.ends_with(":streamGenerateContent")) return Dialect::gemini;
    if (path.ends_with("/api/chat")) return Dialect::ollama;
    return Dialect::none;
}

std::vector<std::string> render(const Json& say, const Asked& asked) {
    const Said said = read_said(say, asked);
    switch (asked.dialect) {
        case Dialect::anthropic:
            return render_anthropic(said, asked);
        case Dialect::responses:
            return render_responses(said, asked);
        case Dialect::chat:
            return render_chat(said, asked);
        case Dialect::gemini:
            return render_gemini(said, asked);
        case Dialect::ollama:
            return render_ollama(said, asked);
        case Dialect::none:
            break;
    }
    return {};
}

std::string model_list(Dialect dialect) {
    Json models = Json::array();
    if (dialect == Dialect::anthropic) {
        for (const char* id : {"claude-opus-5-5", "claude-sonnet-5-5"})
            models.push_back({{"type", "model"},
                              {"id", id},
                              {"display_name", id},
                              {"created_at", "2026-10-21T00:00:00Z"},
                              {"lifecycle", "active"},
                              {"max_input_tokens", 1000000},
                              {"max_tokens", 64000}});
        return Json{{"data", models},
                    {"has_more", false},
                    {"first_id", "claude-opus-5-5"},
                    {"last_id", "claude-sonnet-5-5"}}
            .dump();
    }
    if (dialect == Dialect::gemini) {
        for (const char* name : {"models/gemini-3-pro", "models/gemini-3-flash"})
            models.push_back({{"name", name},
                              {"displayName", name},
                              {"inputTokenLimit", 1048576},
                              {"outputTokenLimit", 65536},
                              {"supportedGenerationMethods", {"generateContent"}}});
        return Json{{"models", models}}.dump();
    }
    if (dialect == Dialect::ollama) {
        for (const char* name : {"gemma4:latest", "qwen3:8b"})
            models.push_back({{"name", name},
                              {"model", name},
                              {"modified_at", "2026-10-21T00:00:00Z"},
                              {"size", 3338801804},
                              {"digest", "a2af6cc3eb7f"},
                              {"details", {{"family", "gemma"}, {"parameter_size", "4.3B"}}}});
        return Json{{"models", models}}.dump();
    }
    for (const char* id : {"gpt-6.1-sol", "gpt-6-luna", "local-model"})
        models.push_back(
            {{"id", id}, {"object", "model"}, {"created", 1795000000}, {"owned_by", "loopback"}});
    return Json{{"object", "list"}, {"data", models}}.dump();
}

}  // namespace loopback
