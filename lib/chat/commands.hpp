// The complete commands that hints name, ready to be typed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace chorus::chat {

// Resumes the thread's last turn: "chorus-run a -t 2 --resume".
std::string resume_command(const std::string& agent, std::int64_t thread);
// Decides a pending question of the given kind: permission, question or trust.
std::string decide_commands(const std::string& agent, const std::string& id, std::string_view kind);

}  // namespace chorus::chat
