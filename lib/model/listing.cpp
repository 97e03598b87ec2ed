#include "model/listing.hpp"

#include <array>
#include <set>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "model/complaint.hpp"

namespace chorus::model {
namespace {

using chat::Json;

constexpr std::size_t longest_name_bytes = 256;
constexpr std::size_t most_models = 2'000;

// The names that servers give to the size of the context of a model.
constexpr std::array context_members{"context_length",   "context_window",
                                     "max_model_len",    "max_context_length",
                                     "max_input_tokens", "loaded_context_length"};

std::string path_of(const Provider& provider) {
    if (provider.protocol == Protocol::gemini) return "/v1beta/models";
    if (provider.protocol == Protocol::ollama) return "/api/tags";
    return provider.protocol == Protocol::anthropic ? "/v1/models" : "/models";
}

bool is_model_name(const std::string& name) {
    return !name.empty() && name.size() <= longest_name_bytes && !base::find_hidden(name) &&
           name.find_first_of(" \t\n") == name.npos;
}

std::int64_t context_of(const Json& row) {
    for (const char* name : context_members)
        if (const std::int64_t size = chat::integer_or(row, name); size > 0) return size;
    return 0;
}

// {"data": […]} as OpenAI and most others have it, {"models": […]}, or the array alone. Returns
// whether it is one of these.
bool read_listing(const Json& body, Listing& listing) {
    const Json& data = chat::member(body, "data");
    const Json& rows = body.is_array()   ? body
                       : data.is_array() ? data
                                         : chat::member(body, "models");
    if (!rows.is_array()) return false;
    std::set<std::string> names;
    for (const Json& row : rows) {
        const std::string name = chat::string_or(row, "id", chat::string_or(row, "name"));
        if (listing.models.size() >= most_models) break;
        if (!is_model_name(name) || !names.insert(name).second) continue;
        listing.models.push_back(name);
        if (const std::int64_t size = context_of(row); size > 0)
            listing.context_tokens[name] = size;
    }
    return true;
}

}  // namespace

Listing list_models(const Endpoint& endpoint, net::Client& client,
                    const Interruption& interruption) {
    Listing listing;
    const std::string key = take_key(endpoint, listing.failure);
    if (listing.failure) return listing;
    net::HttpRequest request = request_to(endpoint, path_of(endpoint.provider), key);
    request.method = "GET";
    request.headers.emplace_back("Accept: application/json");
    std::string body;
    const net::Response response = client.send(
        request,
        [&](std::string_view bytes) {
            body += bytes;
            return body.size() > base::limits::json_bytes ? net::Received::refused
                                                          : net::Received::answer;
        },
        interruption.stop, interruption.wake_fd);
    const std::string& provider = endpoint.provider.name;
    if (response.status >= 300)
        listing.failure = http_failure(provider, response, key);
    else if (response.fault != net::TransportFault::none)
        listing.failure = transport_failure(provider, response);
    else if (const auto json = chat::try_parse_json(body); !json || !read_listing(*json, listing))
        listing.failure = foreign_failure(provider, response, key, "text that lists no models");
    return listing;
}

}  // namespace chorus::model
