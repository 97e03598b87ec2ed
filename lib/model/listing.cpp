#include "model/listing.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/limits.hpp"
#include "base/number.hpp"
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

// OpenRouter's prices are dollars for a token, as text; "-1" is one that varies.
std::optional<double> price_of(const Json& pricing, const char* name) {
    const auto dollars = base::parse_number<double>(chat::string_or(pricing, name));
    if (!dollars || !(*dollars >= 0)) return std::nullopt;
    return *dollars * 1'000'000;
}

Json price_row(const Json& pricing) {
    const auto input = price_of(pricing, "prompt");
    const auto output = price_of(pricing, "completion");
    if (!input || !output || price_of(pricing, "request").value_or(0) > 0) return nullptr;
    Json row = {{"input", *input}, {"output", *output}};
    if (const auto read = price_of(pricing, "input_cache_read")) row["cache_read"] = *read;
    if (const auto write = price_of(pricing, "input_cache_write")) row["cache_write"] = *write;
    return row;
}

bool has_text(const Json& list, std::string_view text) {
    return list.is_array() && std::any_of(list.begin(), list.end(), [&](const Json& each) {
               return each.is_string() && each.get_ref<const std::string&>() == text;
           });
}

Json input_row(const Json& modalities) {
    static constexpr std::array<std::pair<const char*, const char*>, 5> kinds{{{"text", "text"},
                                                                               {"image", "image"},
                                                                               {"file", "pdf"},
                                                                               {"audio", "audio"},
                                                                               {"video", "video"}}};
    Json row = Json::array();
    for (const auto& [theirs, ours] : kinds)
        if (has_text(modalities, theirs)) row.push_back(ours);
    return row;
}

// "" if the server says nothing of the model but its name.
std::string row_text(const Json& model, const std::string& today) {
    Json row = Json::object();
    if (const std::int64_t size = context_of(model); size > 0) row["context_tokens"] = size;
    const Json& provider = chat::member(model, "top_provider");
    if (const std::int64_t most = chat::integer_or(provider, "max_completion_tokens"); most > 0)
        row["max_output_tokens"] = most;
    const Json& modalities = chat::member(chat::member(model, "architecture"), "input_modalities");
    if (Json input = input_row(modalities); !input.empty()) row["input"] = std::move(input);
    if (has_text(chat::member(model, "supported_parameters"), "structured_outputs"))
        row["json_schema"] = true;
    if (Json price = price_row(chat::member(model, "pricing")); !price.is_null())
        row["price"] = std::move(price);
    if (row.empty()) return {};
    row["read"] = today;
    return chat::dump(row);
}

// {"data": […]} as OpenAI and most others have it, {"models": […]}, or the array alone. Returns
// whether it is one of these.
bool read_listing(const Json& body, const std::string& today, Listing& listing) {
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
        if (std::string known = row_text(row, today); !known.empty())
            listing.rows[name] = std::move(known);
    }
    return true;
}

}  // namespace

Listing list_models(const Endpoint& endpoint, net::Client& client, const Interruption& interruption,
                    base::TimeMs now) {
    constexpr std::size_t date_size = sizeof("2026-11-26") - 1;
    const std::string today = base::iso8601(now).substr(0, date_size);
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
    else if (const auto json = chat::try_parse_json(body);
             !json || !read_listing(*json, today, listing))
        listing.failure = foreign_failure(provider, response, key, "text that lists no models");
    return listing;
}

}  // namespace chorus::model
