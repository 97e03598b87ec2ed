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

// Returns why the text is not a channel, or "". The message does not contain the URL, because
// anyone who knows it can post.
std::string channel_problem(std::string_view text);
// The hint for such a problem.
extern const char* const channel_hint;
// Returns the host of a webhook's URL ("hooks.example"), the only part that may be shown.
std::string webhook_host(std::string_view url);
// Parses a text without a problem; "" is no channel.
Channel parse_channel(std::string_view text);

}  // namespace chorus::agent
