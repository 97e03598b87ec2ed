// One function: a neutral request in, streamed text out, a reply back. A request that fails is
// returned as a Failure, never thrown; what had streamed until then stays in `reply`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chat/message.hpp"
#include "model/failure.hpp"
#include "net/http.hpp"

namespace chorus::model {

// "anthropic/claude-opus-5-5" → {"anthropic", "claude-opus-5-5"}; without a slash provider is
// empty.
struct ModelName {
    std::string provider;
    std::string name;
};
ModelName parse_model_name(std::string_view text);

struct StreamSink {
    std::function<void(std::string_view)> on_text;  // valid UTF-8, never split inside a code point
    std::function<void(std::string_view)> on_thinking;
};

struct Answer {
    chat::Reply reply;
    std::optional<Failure> failure;
    bool text_was_streamed = false;
    chat::Usage spent_before = {};  // by attempts that failed: reported is spent
};

struct Interruption {
    std::function<bool()> stop;
    int wake_fd = -1;
};

class Model {
  public:
    virtual ~Model() = default;
    virtual Answer ask(const chat::Request& request, const StreamSink& sink,
                       const Interruption& interruption) = 0;
};

// How a provider is reached: from config.json and the environment, resolved by the caller.
struct Endpoint {
    std::string provider;  // a row of the catalog
    std::string base_url;  // empty: the row's
    // Read for each model call; empty where the provider needs none. May throw
    // Error(config_invalid).
    std::function<std::string()> key;
    std::string anthropic_version;  // empty: the default
    bool trusted_http = false;      // base_url came from config.json or the environment
    net::Timeouts timeouts = {};
};

// A row of the catalog, for listings and for choosing a default.
struct Provider {
    std::string_view name;
    std::string_view key_variable;  // where needs_key is false it is sent if it is set
    std::string_view base_url;
    std::string_view default_model;  // "" where there is none
    bool needs_key = true;
};
const std::vector<Provider>& catalog();
const Provider* find_provider(std::string_view name);
// How many tokens the model takes, where it is known and the same wherever it runs; 0 elsewhere.
// `model` in full.
std::int64_t known_context_tokens(std::string_view model);
// "anthropic-compatible" providers' variable for the base URL: CHORUS_OPENAI_CHAT_BASE_URL.
std::string base_url_variable(std::string_view provider);
// Why nothing can be sent to a base URL, whatever is there; or "".
std::string base_url_problem(std::string_view url);

// Throws Error(no_driver) that lists the providers when none has that name; Error(unauthorized)
// with the variable to set is a Failure of ask(), not thrown here. `client` outlives the model.
std::unique_ptr<Model> make_model(const Endpoint& endpoint, net::Client& client);

// The exact body that ask() would send, for --dry-run; "" for builtin/script. A base URL other than
// the row's changes the body of openai-chat, so whoever has an Endpoint passes that.
std::string request_body(const Endpoint& endpoint, const chat::Request& request);
std::string request_body(std::string_view provider, const chat::Request& request);

}  // namespace chorus::model
