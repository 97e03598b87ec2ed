// The Messages API of Anthropic: POST {base}/v1/messages.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "model/decoder.hpp"

namespace chorus::model {

inline constexpr std::string_view anthropic_version = "2026-10-21";

std::string anthropic_body(const chat::Request& request, const Origin& origin);
std::unique_ptr<Decoder> anthropic_decoder(const Origin& origin, const StreamSink& sink);

}  // namespace chorus::model
