// Sends one request and decodes its stream. Failures are returned in the answer.
// For this room's own use.
#pragma once

#include <string_view>

#include "model/decoder.hpp"
#include "net/http.hpp"

namespace chorus::model {

// `key` is removed from the server's messages. Exceptions from the sink pass through.
Answer exchange(net::Client& client, const SendRequest& send, const net::HttpRequest& request,
                std::string_view provider, std::string_view key, Decoder& decoder,
                const Interruption& interruption);

}  // namespace chorus::model
