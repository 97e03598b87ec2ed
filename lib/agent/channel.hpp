// channel_id of agent.json: where answers and notices go beside the transcript (chorus-home(5),
// CHANNEL).
#pragma once

#include <string>
#include <string_view>

namespace chorus::agent {

struct Channel {
    enum class Kind { none, webhook, command };
    Kind kind = Kind::none;
    std::string target;  // the URL, or what the shell runs
};

// Why the text is no channel, or "". The URL is not told in it: whoever has it can post.
std::string channel_problem(std::string_view text);
// What the problem's hint says.
extern const char* const channel_hint;
// "hooks.example": what of a webhook's URL may be told.
std::string webhook_host(std::string_view url);
// Of a text without a problem; "" is none.
Channel parse_channel(std::string_view text);

}  // namespace chorus::agent
