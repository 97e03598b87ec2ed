// The Messages API of Anthropic: POST {base}/v1/messages. For this room's own use.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "model/decoder.hpp"

namespace chorus::model {

// Where a request names none: the API needs one.
constexpr std::int64_t default_max_tokens = 16'384;

inline constexpr std::string_view anthropic_version = "2026-10-21";

// Where servers of this API differ.
struct AnthropicQuirks {
    bool cache_control = true;
    std::int64_t most_tokens = 0;  // of an answer; 0: unknown
};

// Leaves out what `refusal`, the message of a 400 or 422, names, or lowers it ("max_tokens: 16384 >
// 8192, …"). Returns false if nothing changes.
bool adapt(AnthropicQuirks& quirks, std::string_view refusal);

std::string anthropic_body(const chat::Request& request, const Origin& origin,
                           const AnthropicQuirks& quirks = {}, std::string_view schema = {});
std::unique_ptr<Decoder> anthropic_decoder(const Origin& origin, const StreamSink& sink);

}  // namespace chorus::model
