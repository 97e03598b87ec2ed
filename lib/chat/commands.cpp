#include "chat/commands.hpp"

namespace chorus::chat {

std::string resume_command(const std::string& agent, std::int64_t thread) {
    return "chorus-run " + agent + " -t " + std::to_string(thread) + " --resume";
}

std::string decide_commands(const std::string& agent, const std::string& id, PromptKind kind) {
    if (kind == PromptKind::trust)
        return "chorus-tasks approve " + id + ", or chorus-tasks deny " + id;
    if (kind == PromptKind::question) return "chorus-run " + agent + " --answer " + id + " TEXT";
    return "chorus-run " + agent + " --approve " + id + ", or --deny " + id;
}

}  // namespace chorus::chat
