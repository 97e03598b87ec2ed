#include "base/limits.hpp"
#include "base/text.hpp"
#include "tools/other_agents.hpp"
#include "tools/result.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {
namespace {

chat::ToolResult list_others(const Arguments&, const Workplace& workplace) {
    std::string lines;
    for (const OtherAgent& agent : workplace.other_agents->all()) {
        lines += agent.name;
        if (agent.is_self) lines += " (you)";
        if (!agent.above.empty()) lines += " (sub-agent of " + agent.above + ")";
        if (!agent.description.empty())
            lines += ": " + base::visible(agent.description, base::Newlines::escape);
        lines += "\n";
    }
    return answer(lines);
}

chat::ToolResult read_documents(const Arguments& arguments, const Workplace& workplace) {
    const std::string target = arguments.text("target");
    const std::string documents = workplace.other_agents->documents(target);
    return answer(documents.empty() ? target + " has no documents\n" : documents);
}

Planned send(const Arguments& arguments, const Workplace& workplace) {
    const std::string target = arguments.text("target");
    const std::string message = arguments.text("message");
    if (base::trim(message).empty()) return failure("send_to_agent: 'message' is empty");
    if (message.find('\0') != std::string::npos)
        return failure("send_to_agent: 'message' contains a NUL");
    if (message.size() > base::limits::agent_message_bytes)
        return failure("send_to_agent: 'message' has " +
                       base::counted(std::ssize(message), "byte") + ", at most " +
                       std::to_string(base::limits::agent_message_bytes) +
                       ": send it in several messages");
    return Plan{.evidence = {}, .apply = [&workplace, target, message, call = workplace.call_id] {
                    workplace.other_agents->send(target, message, call);
                    return answer("the message is in the inbox of " + target +
                                  ", which reads it in its present turn or its next one\n");
                }};
}

}  // namespace

Tool list_agents_tool() {
    return {.run = list_others};
}

Tool read_agent_docs_tool() {
    return {.parameters = {{"target", "string", "the agent's name, as list_agents shows it", true}},
            .shown = {"target"},
            .run = read_documents};
}

Tool send_to_agent_tool() {
    return {.parameters = {{"target", "string", "the agent's name, as list_agents shows it", true},
                           {"message", "string", "what it is told", true}},
            .kind = Class::write,
            .shown = {"target"},
            .plan = send};
}

}  // namespace chorus::tools
