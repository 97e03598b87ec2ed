// Google's Gemini API: POST {base}/v1beta/models/{model}:streamGenerateContent?alt=sse.
// https://ai.google.dev/api/generate-content,
// https://ai.google.dev/gemini-api/docs/thought-signatures For this room's own use.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "model/decoder.hpp"

namespace chorus::model {

// The path of a request, below the base URL, with the parameter that makes it a stream of events.
std::string gemini_path(std::string_view model);

// A model that reasons is asked for its thoughts, and takes no call without a signature, even if
// another model made it.
std::string gemini_body(const chat::Request& request, const Origin& origin, bool reasons,
                        std::string_view schema = {});
std::unique_ptr<Decoder> gemini_decoder(const Origin& origin, const StreamSink& sink);

}  // namespace chorus::model
