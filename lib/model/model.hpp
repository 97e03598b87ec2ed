// Sends a provider-neutral request to a model, streams the text and returns the reply. A failed
// request is returned as a Failure, never thrown; text streamed until then stays in `reply`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "chat/message.hpp"
#include "model/endpoint.hpp"
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
    chat::Usage spent_before = {};  // usage reported by failed attempts
    std::string budget = {};        // that allowed no answer, or only a shorter one
};

struct Interruption {
    std::function<bool()> stop;
    int wake_fd = -1;
};

// An answer that never came, for a reason that another try does not change.
Answer no_answer(Failure failure);

class Model {
  public:
    virtual ~Model() = default;
    virtual Answer ask(const chat::Request& request, const StreamSink& sink,
                       const Interruption& interruption) = 0;
};

// A missing key is not thrown here: ask() returns a Failure that names the variable to set.
// `client` must outlive the model.
std::unique_ptr<Model> make_model(const Endpoint& endpoint, net::Client& client);

// The max_output_tokens of requests to a server that needs one; 0 for others.
std::int64_t required_output_tokens(const Endpoint& endpoint);
// The most tokens that an answer to the request may have.
std::int64_t most_output_tokens(const Endpoint& endpoint, const chat::Request& request);

// Returns the exact body that ask() would send, for --dry-run; "" for builtin/script.
std::string request_body(const Endpoint& endpoint, const chat::Request& request);

}  // namespace chorus::model
