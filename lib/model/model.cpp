#include "model/model.hpp"

#include <algorithm>
#include <utility>

#include "base/enum_names.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "model/anthropic.hpp"
#include "model/exchange.hpp"
#include "model/openai_chat.hpp"
#include "model/openai_responses.hpp"
#include "model/script.hpp"

namespace chorus::model {
namespace {

const Provider& require_provider(std::string_view name) {
    if (const Provider* provider = find_provider(name)) return *provider;
    throw base::Error(base::ErrorCode::no_driver, "provider '" + std::string(name) + "': not known",
                      "the providers are " + base::quoted_list(provider_names()));
}

// Returns the base URL without slashes at the end of its path.
std::string base_url_of(const Provider& row, const std::string& given) {
    std::string url(given.empty() ? row.base_url : std::string_view(given));
    std::size_t end = std::min(url.find('?'), url.size());
    for (; end > 0 && url[end - 1] == '/'; --end) url.erase(end - 1, 1);
    return url;
}

// Where each protocol's requests go, below the base URL.
constexpr base::EnumNames<Protocol, 4> paths{
    {"/v1/messages", "/responses", "/chat/completions", ""}};

// A query, as Azure's ?api-version=, stays after the path.
std::string url_of(Protocol protocol, std::string base_url) {
    return base_url.insert(std::min(base_url.find('?'), base_url.size()), paths.name(protocol));
}

// The features that a server accepts: those known for it and the model, minus those that it
// refused.
struct Taken {
    Quirks quirks;
    Reasoning reasoning = Reasoning::none;
    bool own_blocks = true;
    AnthropicQuirks anthropic = {};
};

std::string body_of(const Provider& row, const Taken& taken, const chat::Request& request) {
    // without a provider's name, no blocks count as the provider's own
    const Origin origin{std::string(taken.own_blocks ? row.name : ""), request.model};
    if (row.protocol == Protocol::anthropic)
        return anthropic_body(request, origin, taken.anthropic);
    if (row.protocol == Protocol::responses)
        return responses_body(request, origin, taken.reasoning, taken.quirks.parallel_tool_calls);
    if (row.protocol == Protocol::chat) return chat_body(request, origin, taken.quirks);
    return {};
}

bool is_header_value(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

class NetworkModel final : public Model {
  public:
    NetworkModel(const Endpoint& endpoint, const Provider& row, net::Client& client)
        : endpoint_(endpoint),
          row_(row),
          client_(client),
          base_url_(base_url_of(row, endpoint.base_url)) {}

    Answer ask(const chat::Request& request, const StreamSink& sink,
               const Interruption& interruption) override {
        const std::string secret = endpoint_.key ? endpoint_.key() : std::string();
        const std::string key(base::trim(secret));
        if (key.empty() && row_.needs_key) return no_answer(Category::unauthorized, no_key());
        if (!is_header_value(key))
            return no_answer(Category::unauthorized,
                             endpoint_.provider +
                                 ": the key contains a blank, a control or a non-ASCII character");
        if (!taken_) taken_ = Taken{quirks_at(row_, base_url_), reasoning_of(request.model)};
        for (;;) {
            const std::unique_ptr<Decoder> decoder = decoder_for(request, sink);
            Answer answer = exchange(client_, http_request(request, key), endpoint_.provider, key,
                                     *decoder, interruption);
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
        if (row_.protocol == Protocol::anthropic) return adapt(taken_->anthropic, failure.message);
        if (adapt(taken_->quirks, failure.message)) return true;
        if (row_.protocol != Protocol::responses) return false;
        const Reasoning before = taken_->reasoning;
        taken_->reasoning = reasoning_after(before, failure.message);
        return taken_->reasoning != before;
    }

    Origin origin(const chat::Request& request) const {
        return {endpoint_.provider, request.model};
    }

    std::string no_key() const {
        return endpoint_.provider + ": no key: " + std::string(row_.key_variable) + " is not set";
    }

    std::unique_ptr<Decoder> decoder_for(const chat::Request& request,
                                         const StreamSink& sink) const {
        if (row_.protocol == Protocol::anthropic) return anthropic_decoder(origin(request), sink);
        if (row_.protocol == Protocol::responses) return responses_decoder(origin(request), sink);
        return chat_decoder(origin(request), sink, taken_->quirks);
    }

    net::HttpRequest http_request(const chat::Request& request, const std::string& key) const {
        net::HttpRequest http{
            .method = "POST",
            .url = url_of(row_.protocol, base_url_),
            .plain_http = endpoint_.trusted_http,
            .headers = {"Content-Type: application/json", "Accept: text/event-stream"},
            .body = body_of(row_, *taken_, request),
            .timeouts = endpoint_.timeouts};
        if (row_.protocol == Protocol::anthropic) {
            const bool given = !endpoint_.anthropic_version.empty();
            http.headers.push_back("anthropic-version: " + (given
                                                                ? endpoint_.anthropic_version
                                                                : std::string(anthropic_version)));
            http.headers.push_back("x-api-key: " + key);
        } else if (!key.empty()) {
            http.headers.push_back("Authorization: Bearer " + key);
        }
        return http;
    }

    Endpoint endpoint_;
    const Provider& row_;
    net::Client& client_;
    std::string base_url_;
    std::optional<Taken> taken_;
};

}  // namespace

ModelName parse_model_name(std::string_view text) {
    text = base::trim(text);
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return {"", std::string(text)};
    return {std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
}

std::string base_url_variable(std::string_view provider) {
    std::string name = "CHORUS_";
    for (const char c : provider)
        name.push_back(c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A')
                       : c == '-'           ? '_'
                                            : c);
    return name + "_BASE_URL";
}

std::string base_url_problem(std::string_view url) {
    if (url.find_first_of(" \t\r\n") != url.npos) return "it holds a blank";
    if (!url.starts_with("https://") && !url.starts_with("http://"))
        return "it does not begin with https:// or http://";
    if (url.find('#') != url.npos) return "it holds a fragment (#…), which is never sent";
    return {};
}

std::unique_ptr<Model> make_model(const Endpoint& endpoint, net::Client& client) {
    const Provider& row = require_provider(endpoint.provider);
    if (row.protocol == Protocol::script) return make_script();
    return std::make_unique<NetworkModel>(endpoint, row, client);
}

std::string request_body(const Endpoint& endpoint, const chat::Request& request) {
    const Provider& row = require_provider(endpoint.provider);
    const Quirks quirks = quirks_at(row, base_url_of(row, endpoint.base_url));
    return body_of(row, {quirks, reasoning_of(request.model)}, request);
}

Answer no_answer(Category category, std::string why) {
    Answer answer;
    answer.reply.stop = chat::StopReason::truncated_stream;
    answer.failure = Failure{.category = category, .message = std::move(why)};
    return answer;
}

}  // namespace chorus::model
