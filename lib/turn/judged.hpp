// A call of the model between the answer that made it and its result.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "approval/binding.hpp"
#include "store/prompts.hpp"
#include "tools/tool.hpp"
#include "turn/loop.hpp"

namespace chorus::turn {

struct Judged : chat::ToolCall {
    const tools::Tool* tool = nullptr;
    tools::Arguments parsed = {};
    std::string action = {};
    // allow, ask_approved, ask_denied, deny; "" if there was nothing to decide
    std::string decision = {};
    std::string detail = {};  // of the audit row
    bool audited = false;     // the audit row is written already
    bool runs = false;
    bool asks = false;                               // not decided yet
    std::optional<approval::Binding> binding = {};   // of the call a person is asked about
    std::optional<approval::Binding> approved = {};  // what a person approved
    std::optional<std::string> answer = {};          // a person's answer to a question
    std::optional<store::Prompt> row = {};           // pending, or with the decision
    std::string prompt_id = {};  // of the prompt with a person's decision, consumed by the call
    // set from planning until it has run (tools::Plan)
    std::function<std::optional<chat::ToolResult>()> apply = {};
    bool planned = false;       // and the intent is to be recorded
    std::string evidence = {};  // of the intent (tools/effect.hpp)
    chat::Change change = {};   // without secrets
    base::TimeMs started_at = 0;
    chat::ToolResult result = {};             // the refusal, if it does not run
    CallOutcome outcome = CallOutcome::none;  // of a refusal that is no error: denied, expired
    bool done = false;                        // it has its result

    bool is_question() const { return tool != nullptr && tool->kind == tools::Class::question; }
};

// Whether a call that began before its process ended is run again with the decision it had.
constexpr bool is_repeated(tools::Class kind) {
    return kind == tools::Class::question || kind == tools::Class::agent;
}

std::vector<Judged*> all_of(std::vector<Judged>& calls);
void allow(Judged& judged, std::string decision, std::string detail);
// `reason` goes into the audit log; the model gets `text` or, if that is empty, the reason.
void refuse(Judged& judged, std::string decision, const std::string& reason,
            const std::string& text = {});

}  // namespace chorus::turn
