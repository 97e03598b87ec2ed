#include "model/endpoint.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "model/anthropic.hpp"

namespace chorus::model {
namespace {

Failure no_key_failure(std::string why) {
    return {.category = Category::unauthorized, .message = std::move(why)};
}

std::string url_below(const Endpoint& endpoint, std::string_view path) {
    std::string url = base_url_of(endpoint);
    const auto begin_parameter = [&] { url += url.find('?') == url.npos ? '?' : '&'; };
    const std::size_t query = std::min(path.find('?'), path.size());
    url.insert(std::min(url.find('?'), url.size()), path.substr(0, query));
    if (query < path.size()) {
        begin_parameter();
        url += path.substr(query + 1);
    }
    for (const auto& [name, value] : endpoint.provider.query) {
        begin_parameter();
        url.append(name).append("=").append(value);
    }
    return url;
}

std::string key_field(const Provider& provider) {
    if (!provider.key_header.empty()) return provider.key_header + ": ";
    if (provider.protocol == Protocol::anthropic) return "x-api-key: ";
    return provider.protocol == Protocol::gemini ? "x-goog-api-key: " : "Authorization: Bearer ";
}

}  // namespace

std::string base_url_variable(std::string_view provider) {
    std::string name = "CHORUS_";
    for (const char c : provider)
        name.push_back(c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A')
                       : c == '-'           ? '_'
                                            : c);
    return name + "_BASE_URL";
}

bool is_header_value(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

std::string base_url_of(const Endpoint& endpoint) {
    std::string url = endpoint.base_url.empty() ? endpoint.provider.base_url : endpoint.base_url;
    std::size_t end = std::min(url.find('?'), url.size());
    for (; end > 0 && url[end - 1] == '/'; --end) url.erase(end - 1, 1);
    return url;
}

std::string take_key(const Endpoint& endpoint, std::optional<Failure>& failure) {
    const Provider& provider = endpoint.provider;
    const std::string secret = endpoint.key ? endpoint.key() : std::string();
    const std::string key(base::trim(secret));
    if (key.empty() && provider.needs_key)
        failure =
            no_key_failure(provider.name + ": no key: " + provider.key_variable + " is not set");
    if (!is_header_value(key))
        failure = no_key_failure(provider.name +
                                 ": the key contains a blank, a control or a non-ASCII character");
    return failure ? std::string() : key;
}

net::HttpRequest request_to(const Endpoint& endpoint, std::string_view path, std::string_view key) {
    const Provider& provider = endpoint.provider;
    net::HttpRequest http;
    http.url = url_below(endpoint, path);
    http.plain_http = endpoint.trusted_http;
    http.timeouts = endpoint.timeouts;
    if (provider.protocol == Protocol::anthropic)
        http.headers.push_back("anthropic-version: " + (endpoint.anthropic_version.empty()
                                                            ? std::string(anthropic_version)
                                                            : endpoint.anthropic_version));
    if (!key.empty()) http.headers.push_back(key_field(provider).append(key));
    for (const auto& [name, value] : provider.headers) http.headers.push_back(name + ": " + value);
    return http;
}

}  // namespace chorus::model
