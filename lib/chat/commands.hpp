// The commands that hints name, whole: they can be typed as they stand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace chorus::chat {

// Goes on with the thread's last turn: "chorus-run a -t 2 --resume".
std::string resume_command(const std::string& agent, std::int64_t thread);
// Decides what waits, of the kind that a prompt has: permission, question or trust.
std::string decide_commands(const std::string& agent, const std::string& id, std::string_view kind);

}  // namespace chorus::chat
