#include "model/catalog.hpp"

#include <algorithm>
#include <array>

#include "model/model.hpp"

namespace chorus::model {
namespace {

constexpr Quirks openai_itself{.max_tokens = "max_completion_tokens", .system_role = "developer"};
constexpr Quirks new_limit_name{.max_tokens = "max_completion_tokens"};
constexpr Quirks wants_reasoning{.reasoning = ReasoningBack::content};
constexpr Quirks wants_details{.reasoning = ReasoningBack::details};
// Mistral refuses unknown fields, and ids that are not in its own format.
constexpr Quirks mistral{.stream_options = false, .short_call_ids = true};

// In order of preference: the first provider with a key and a default model becomes the default.
constexpr std::array<Provider, 14> rows{{
    {"anthropic", "ANTHROPIC_API_KEY", "https://api.anthropic.com", "claude-opus-5-5", true,
     Protocol::anthropic},
    {"openai", "OPENAI_API_KEY", "https://api.openai.com/v1", "gpt-6.1-sol", true,
     Protocol::responses},
    // no default: the newest models of OpenAI call tools over Responses only
    {"openai-chat", "OPENAI_API_KEY", "https://api.openai.com/v1", "", true, Protocol::chat,
     openai_itself},
    {"openrouter", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1", "openrouter/auto", true,
     Protocol::chat, wants_details},
    {"deepseek", "DEEPSEEK_API_KEY", "https://api.deepseek.com/v1", "deepseek-v4-pro", true,
     Protocol::chat, wants_reasoning},
    {"mistral", "MISTRAL_API_KEY", "https://api.mistral.ai/v1", "mistral-large-latest", true,
     Protocol::chat, mistral},
    {"xai", "XAI_API_KEY", "https://api.x.ai/v1", "grok-4.6", true, Protocol::chat, new_limit_name},
    {"groq", "GROQ_API_KEY", "https://api.groq.com/openai/v1", "openai/gpt-oss-120b", true,
     Protocol::chat, new_limit_name},
    {"together", "TOGETHER_API_KEY", "https://api.together.xyz/v1", "openai/gpt-oss-120b", true},
    {"ollama", "OLLAMA_API_KEY", "http://127.0.0.1:11434/v1", "", false},
    {"llamacpp", "LLAMA_API_KEY", "http://127.0.0.1:8080/v1", "", false, Protocol::chat,
     wants_reasoning},
    {"lmstudio", "LMSTUDIO_API_KEY", "http://127.0.0.1:1234/v1", "", false},
    {"vllm", "VLLM_API_KEY", "http://127.0.0.1:8000/v1", "", false},
    {"builtin", "", "", "script", false, Protocol::script},
}};

// By the beginning of a model's name, whoever serves it; sorted, and the last match counts. For
// models that share one context between question and answer, the part for the question.
struct ContextSize {
    std::string_view name;
    std::int64_t tokens;
};
constexpr std::array<ContextSize, 14> context_sizes{{
    {"claude-", 200'000},
    {"claude-fable-5", 1'000'000},
    {"claude-haiku-5", 1'000'000},
    {"claude-opus-5", 1'000'000},
    {"claude-sonnet-5", 1'000'000},
    {"deepseek-v4", 1'000'000},
    {"gpt-4.1", 1'047'576},
    {"gpt-4o", 128'000},
    {"gpt-5", 272'000},
    {"gpt-6", 922'000},
    {"gpt-oss-", 131'072},
    {"grok-4", 256'000},
    {"grok-4.6", 500'000},
    {"mistral-large", 128'000},
}};

}  // namespace

std::int64_t known_context_tokens(std::string_view model) {
    const Provider* provider = find_provider(parse_model_name(model).provider);
    // a local server's size depends on how it was started
    if (provider == nullptr || !provider->needs_key) return 0;
    const std::string_view name = model.substr(model.rfind('/') + 1);
    const auto found =
        std::find_if(context_sizes.rbegin(), context_sizes.rend(),
                     [&](const ContextSize& size) { return name.starts_with(size.name); });
    return found == context_sizes.rend() ? 0 : found->tokens;
}

Quirks quirks_at(const Provider& provider, std::string_view base_url) {
    const bool is_own = base_url.empty() || base_url == provider.base_url;
    // a compatible server may know only the protocol's older names
    return is_own || provider.name != "openai-chat" ? provider.quirks : Quirks{};
}

std::span<const Provider> catalog() {
    return rows;
}

std::vector<std::string> provider_names() {
    std::vector<std::string> names;
    for (const Provider& provider : rows) names.emplace_back(provider.name);
    return names;
}

const Provider* find_provider(std::string_view name) {
    for (const Provider& provider : rows)
        if (provider.name == name) return &provider;
    return nullptr;
}

}  // namespace chorus::model
