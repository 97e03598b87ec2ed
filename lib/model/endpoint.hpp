// How a provider is reached, resolved by the caller from config.json, the environment and the
// catalog.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/catalog.hpp"
#include "model/failure.hpp"
#include "net/http.hpp"

namespace chorus::model {

using OnBody = std::function<net::Received(std::string_view)>;
// Sends a request and streams its answer, as net::Client::send does.
using SendRequest = std::function<net::Response(
    net::Client& client, const net::HttpRequest& request, const OnBody& on_body,
    const std::function<bool()>& stop, int wake_fd)>;

struct Endpoint {
    Provider provider;
    ModelFacts facts;      // of the model that is asked
    std::string base_url;  // empty: the provider's
    // Called for each request; returns "" if the provider needs no key. May throw
    // Error(config_invalid).
    std::function<std::string()> key;
    std::string anthropic_version;  // empty: the default
    bool trusted_http = false;      // a person has configured the base URL
    net::Timeouts timeouts = {};
    SendRequest send = {};  // in place of the client's, for recordings
};

// The variable for a provider's base URL: CHORUS_OPENAI_CHAT_BASE_URL.
std::string base_url_variable(std::string_view provider);

// Whether a request can carry it as a key: no blank, no control, ASCII.
bool is_header_value(std::string_view text);

// For this room's own use.

// The base URL in use, without slashes at the end of its path.
std::string base_url_of(const Endpoint& endpoint);
// Returns the key, or why no request can be made with it.
std::string take_key(const Endpoint& endpoint, std::optional<Failure>& failure);
// A request to that path below the base URL, whose query stays after it, with the provider's
// headers and the key in its place.
net::HttpRequest request_to(const Endpoint& endpoint, std::string_view path, std::string_view key);

}  // namespace chorus::model
