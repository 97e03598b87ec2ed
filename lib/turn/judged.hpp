// The state of one call between the model's answer and the call's result.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "approval/binding.hpp"
#include "policy/profile.hpp"
#include "store/prompts.hpp"
#include "tools/tool.hpp"
#include "turn/turn_record.hpp"

namespace chorus::turn {

struct Judged {
    DecidedCall decided;
    const tools::Tool* tool = nullptr;
    tools::Arguments arguments;
    bool asks = false;                               // not decided yet
    std::optional<approval::Binding> binding = {};   // of the call a person is asked about
    std::optional<approval::Binding> approved = {};  // what a person approved
    std::optional<std::string> answer = {};          // a person's answer to a question
    std::optional<store::Prompt> row = {};           // pending, or with the decision
    std::function<chat::ToolResult()> apply = {};    // set from planning until it has run

    bool done = false;  // it has its result

    bool is_question() const { return tool != nullptr && tool->kind == tools::Class::question; }
};

void allow(Judged& judged, std::string decision, std::string detail);
// `reason` goes into the audit log; the model gets `text` or, if that is empty, the reason.
void refuse(Judged& judged, std::string decision, const std::string& reason,
            const std::string& text = {});

}  // namespace chorus::turn
