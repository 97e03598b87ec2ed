// OpenAI's Responses API, used without server state: POST {base}/responses. The server stores
// nothing; every output item is sent back in order. For this room's own use.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "model/decoder.hpp"

namespace chorus::model {

// The reasoning fields of a request. Models that do not reason refuse them.
enum class Reasoning {
    none,
    encrypted,   // encrypted reasoning, to be sent back
    summarized,  // also summaries, which show that the model is working
};
// Returns the level to use after a request with `asked` was refused with this message; `asked` if
// the message is about something else.
Reasoning reasoning_after(Reasoning asked, std::string_view refusal);

// `parallel_tool_calls`: whether the field is sent.
std::string responses_body(const chat::Request& request, const Origin& origin, Reasoning reasoning,
                           bool parallel_tool_calls = true, std::string_view schema = {});
std::unique_ptr<Decoder> responses_decoder(const Origin& origin, const StreamSink& sink);

}  // namespace chorus::model
