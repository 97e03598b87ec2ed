// OpenAI's Responses, stateless: POST {base}/responses. Nothing is stored there; every output item
// is sent back in order.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "model/decoder.hpp"

namespace chorus::model {

// The request's fields on reasoning. Models that do not reason refuse them.
enum class Reasoning {
    none,
    encrypted,   // to be sent back
    summarized,  // in words too, which also tells that the model is at work
};
Reasoning reasoning_of(std::string_view model);
// The next level to ask for after a request with `asked` was refused with that message; `asked`
// where it is about something else.
Reasoning reasoning_after(Reasoning asked, std::string_view refusal);

// `parallel_tool_calls`: whether the field is sent.
std::string responses_body(const chat::Request& request, const Origin& origin, Reasoning reasoning,
                           bool parallel_tool_calls = true);
std::unique_ptr<Decoder> responses_decoder(const Origin& origin, const StreamSink& sink);

}  // namespace chorus::model
