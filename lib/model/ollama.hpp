// Ollama's own API: POST {base}/api/chat, answered by one JSON object a line.
// https://docs.ollama.com/api/chat, https://github.com/ollama/ollama/blob/main/api/types.go
// For this room's own use.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/decoder.hpp"

namespace chorus::model {

// `context_tokens` (0: the server's own default) is asked for as the size of the context. A prompt
// that is longer is an error, where the server by itself would drop its oldest messages.
std::string ollama_body(const chat::Request& request, const Origin& origin, const Quirks& quirks,
                        std::int64_t context_tokens, std::string_view schema = {});
std::unique_ptr<Decoder> ollama_decoder(const Origin& origin, const StreamSink& sink);

}  // namespace chorus::model
