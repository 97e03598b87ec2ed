// The complete commands that hints name, ready to be typed.
#pragma once

#include <cstdint>
#include <string>

#include "chat/event.hpp"

namespace chorus::chat {

// Resumes the thread's last turn: "chorus-run a -t 2 --resume".
std::string resume_command(const std::string& agent, std::int64_t thread);
// Decides a pending question of the given kind.
std::string decide_commands(const std::string& agent, const std::string& id, PromptKind kind);

}  // namespace chorus::chat
