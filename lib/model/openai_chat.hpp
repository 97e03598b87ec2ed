// Chat Completions, which OpenAI began and most servers speak: POST {base}/chat/completions.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "model/catalog.hpp"
#include "model/decoder.hpp"

namespace chorus::model {

// Leaves out or renames what a server refuses with that message. False where it is about something
// else.
bool adapt(Quirks& quirks, std::string_view refusal);

std::string chat_body(const chat::Request& request, const Origin& origin, const Quirks& quirks);
std::unique_ptr<Decoder> chat_decoder(const Origin& origin, const StreamSink& sink,
                                      const Quirks& quirks);

}  // namespace chorus::model
