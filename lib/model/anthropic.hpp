// The Messages API of Anthropic: POST {base}/v1/messages.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "model/decoder.hpp"

namespace chorus::model {

inline constexpr std::string_view anthropic_version = "2026-10-21";

// The largest max_tokens that a refusal names ("max_tokens: 16384 > 8192, …"), or `most`.
std::int64_t most_tokens_after(std::int64_t most, std::string_view refusal);

// `most_tokens`: of an answer; 0: not known.
std::string anthropic_body(const chat::Request& request, const Origin& origin,
                           std::int64_t most_tokens = 0);
std::unique_ptr<Decoder> anthropic_decoder(const Origin& origin, const StreamSink& sink);

}  // namespace chorus::model
