#include "model/model.hpp"

#include <algorithm>
#include <utility>

#include "base/enum_names.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "model/anthropic.hpp"
#include "model/exchange.hpp"
#include "model/gemini.hpp"
#include "model/ollama.hpp"
#include "model/openai_chat.hpp"
#include "model/openai_responses.hpp"
#include "model/script.hpp"

namespace chorus::model {
namespace {

// Where each protocol's requests go, below the base URL.
std::string path_for(Protocol protocol, std::string_view model) {
    static constexpr base::EnumNames<Protocol, 6> paths{
        {"/v1/messages", "/responses", "/chat/completions", "", "/api/chat", ""}};
    return protocol == Protocol::gemini ? gemini_path(model) : std::string(paths.name(protocol));
}

// Without effort levels a model does not reason; of one that is not known it is tried.
Reasoning reasoning_of(const ModelFacts& facts) {
    return facts.effort && facts.effort->empty() ? Reasoning::none : Reasoning::summarized;
}

// The features that a server accepts: those known for it and the model, minus those that it
// refused.
struct Taken {
    Quirks quirks;
    Reasoning reasoning = Reasoning::none;
    bool own_blocks = true;
    AnthropicQuirks anthropic = {};
    std::int64_t context_tokens = 0;
    bool schema = false;  // of the answer
};

Taken taken_at_first(const Endpoint& endpoint) {
    return {.quirks = quirks_at(endpoint.provider, base_url_of(endpoint)),
            .reasoning = reasoning_of(endpoint.facts),
            .context_tokens = endpoint.facts.context_tokens,
            .schema = endpoint.facts.takes_schema.value_or(false)};
}

std::string body_of(const Provider& row, const Taken& taken, const chat::Request& request) {
    // without a provider's name, no blocks count as the provider's own
    const Origin origin{std::string(taken.own_blocks ? row.name : ""), request.model};
    const std::string_view schema = taken.schema ? request.answer_schema : std::string_view();
    if (row.protocol == Protocol::anthropic)
        return anthropic_body(request, origin, taken.anthropic, schema);
    if (row.protocol == Protocol::responses)
        return responses_body(request, origin, taken.reasoning, taken.quirks.parallel_tool_calls,
                              schema);
    if (row.protocol == Protocol::gemini)
        return gemini_body(request, origin, taken.reasoning != Reasoning::none, schema);
    if (row.protocol == Protocol::chat) return chat_body(request, origin, taken.quirks, schema);
    if (row.protocol == Protocol::ollama)
        return ollama_body(request, origin, taken.quirks, taken.context_tokens, schema);
    return {};
}

class NetworkModel final : public Model {
  public:
    NetworkModel(const Endpoint& endpoint, net::Client& client)
        : endpoint_(endpoint), row_(endpoint_.provider), client_(client) {}

    Answer ask(const chat::Request& request, const StreamSink& sink,
               const Interruption& interruption) override {
        std::optional<Failure> no_key;
        const std::string key = take_key(endpoint_, no_key);
        if (no_key) return no_answer(std::move(*no_key));
        if (!taken_) taken_ = taken_at_first(endpoint_);
        for (;;) {
            const std::unique_ptr<Decoder> decoder = decoder_for(request, sink);
            Answer answer = exchange(client_, endpoint_.send, http_request(request, key),
                                     row_.name, key, *decoder, interruption);
            if (!answer.failure || answer.text_was_streamed || !learn(*answer.failure, request))
                return answer;
        }
    }

  private:
    // Adapts to a refusal. Returns whether the next request differs.
    bool learn(const Failure& failure, const chat::Request& request) {
        if (failure.status != 400 && failure.status != 422) return false;
        if (refuses_own_blocks(failure.message)) {
            const std::string refused = body_of(row_, *taken_, request);
            taken_->own_blocks = false;
            return body_of(row_, *taken_, request) != refused;
        }
        if (taken_->schema && !request.answer_schema.empty() && refuses_schema(failure.message)) {
            taken_->schema = false;
            return true;
        }
        if (row_.protocol == Protocol::anthropic) return adapt(taken_->anthropic, failure.message);
        if (adapt(taken_->quirks, failure.message)) return true;
        if (row_.protocol != Protocol::responses) return false;
        const Reasoning before = taken_->reasoning;
        taken_->reasoning = reasoning_after(before, failure.message);
        return taken_->reasoning != before;
    }

    Origin origin(const chat::Request& request) const { return {row_.name, request.model}; }

    std::unique_ptr<Decoder> decoder_for(const chat::Request& request,
                                         const StreamSink& sink) const {
        if (row_.protocol == Protocol::anthropic) return anthropic_decoder(origin(request), sink);
        if (row_.protocol == Protocol::responses) return responses_decoder(origin(request), sink);
        if (row_.protocol == Protocol::gemini) return gemini_decoder(origin(request), sink);
        if (row_.protocol == Protocol::ollama) return ollama_decoder(origin(request), sink);
        return chat_decoder(origin(request), sink, taken_->quirks);
    }

    net::HttpRequest http_request(const chat::Request& request, const std::string& key) const {
        net::HttpRequest http = request_to(endpoint_, path_for(row_.protocol, request.model), key);
        http.headers.emplace_back("Content-Type: application/json");
        http.headers.emplace_back(row_.protocol == Protocol::ollama ? "Accept: application/x-ndjson"
                                                                    : "Accept: text/event-stream");
        http.body = body_of(row_, *taken_, request);
        return http;
    }

    const Endpoint endpoint_;
    const Provider& row_;
    net::Client& client_;
    std::optional<Taken> taken_;
};

}  // namespace

ModelName parse_model_name(std::string_view text) {
    text = base::trim(text);
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return {"", std::string(text)};
    return {std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
}

std::unique_ptr<Model> make_model(const Endpoint& endpoint, net::Client& client) {
    if (endpoint.provider.protocol == Protocol::script) return make_script();
    return std::make_unique<NetworkModel>(endpoint, client);
}

std::int64_t required_output_tokens(const Endpoint& endpoint) {
    if (endpoint.provider.protocol != Protocol::anthropic) return 0;
    const std::int64_t most = endpoint.facts.max_output_tokens;
    return most > 0 ? std::min(most, default_max_tokens) : default_max_tokens;
}

std::int64_t most_output_tokens(const Endpoint& endpoint, const chat::Request& request) {
    constexpr std::int64_t usual_most = 32'768;  // where nothing is known
    if (request.max_output_tokens > 0) return request.max_output_tokens;
    const std::int64_t most = endpoint.facts.max_output_tokens;
    return most > 0 ? most : usual_most;
}

std::string request_body(const Endpoint& endpoint, const chat::Request& request) {
    return body_of(endpoint.provider, taken_at_first(endpoint), request);
}

Answer no_answer(Failure failure) {
    Answer answer;
    answer.reply.stop = chat::StopReason::truncated_stream;
    answer.failure = std::move(failure);
    return answer;
}

}  // namespace chorus::model
