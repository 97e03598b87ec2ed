// OpenAI's Responses, stateless: POST {base}/responses. Nothing is stored there; every output item
// is sent back in order.
#pragma once

#include <memory>
#include <string>

#include "model/decoder.hpp"

namespace chorus::model {

std::string responses_body(const chat::Request& request, const Origin& origin);
std::unique_ptr<Decoder> responses_decoder(const Origin& origin, const StreamSink& sink);

}  // namespace chorus::model
