// One request over the network, its stream read by a decoder. Whatever goes wrong is in the answer.
#pragma once

#include <string>
#include <string_view>

#include "model/decoder.hpp"
#include "net/http.hpp"

namespace chorus::model {

// `key` is struck out of whatever the server says. What the sink throws passes through.
Answer exchange(net::Client& client, const net::Request& request, std::string_view provider,
                std::string_view key, Decoder& decoder, const Interruption& interruption);

}  // namespace chorus::model
