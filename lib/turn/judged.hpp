// One call between the model's answer and its result.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "policy/profile.hpp"
#include "store/prompts.hpp"
#include "tools/tool.hpp"
#include "turn/binding.hpp"
#include "turn/record.hpp"

namespace chorus::turn {

struct Judged {
    DecidedCall decided;
    const tools::Tool* tool = nullptr;
    tools::Arguments arguments;
    bool asks = false;                             // nobody has decided it yet
    std::optional<Binding> binding = {};           // of what a person is asked about
    std::optional<Binding> approved = {};          // what a person's yes was given for
    std::optional<std::string> answer = {};        // a person's, to a question
    std::optional<store::Prompt> row = {};         // that waits, or in which it was decided
    std::function<chat::ToolResult()> apply = {};  // once planned, until it is done

    bool done = false;  // it has its result

    bool is_question() const { return tool != nullptr && tool->kind == tools::Class::question; }
};

void allow(Judged& judged, std::string decision, std::string detail);
// `reason` is what the audit says of it; the model gets `text`, or the reason.
void refuse(Judged& judged, std::string decision, const std::string& reason,
            const std::string& text = {});

}  // namespace chorus::turn
