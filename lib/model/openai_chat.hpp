// Chat Completions, OpenAI's protocol that most servers support: POST {base}/chat/completions.
// For this room's own use.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "model/catalog.hpp"
#include "model/decoder.hpp"

namespace chorus::model {

// Leaves out or renames the field that the message refuses. Returns false if the message is about
// something else.
bool adapt(Quirks& quirks, std::string_view refusal);

std::string chat_body(const chat::Request& request, const Origin& origin, const Quirks& quirks,
                      std::string_view schema = {});
std::unique_ptr<Decoder> chat_decoder(const Origin& origin, const StreamSink& sink,
                                      const Quirks& quirks);

}  // namespace chorus::model
