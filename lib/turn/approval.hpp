// The one decision about a call: of the turn that is about to run it, of `explain` about an
// action's text, and of whoever decides what waits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/profile.hpp"
#include "policy/redaction.hpp"
#include "tools/tool.hpp"
#include "turn/always.hpp"
#include "turn/rights.hpp"

namespace chorus::turn {

struct Proposed {
    policy::Action action;
    std::string text = {};     // as the model wrote it, secrets and all
    bool is_question = false;  // of the model, to a person
    std::string profile = {};  // that the call would put in force: a name, "custom"; "" for none
    std::optional<policy::ProfileText> rights = {};  // what it says; nothing where the action alone
                                                     // is known
};
Proposed proposed(const tools::Tool& tool, const tools::Arguments& arguments,
                  const tools::Workplace& workplace, const agent::HomeConfiguration& home);
// From "tool:git:checkout main"; a path, and the name of a model, in the words of the tool that
// would make it of them. Error(bad_request) for none of a tool that there is,
// Error(config_invalid) for an unknown profile.
Proposed proposed(const std::string& action, const tools::Workplace& workplace,
                  const agent::HomeConfiguration& home);

struct Moment {
    const Rights& rights;
    const policy::Redaction& secrets;
    Widening widening;
    std::vector<std::string> actors;  // for whom the agent works
    policy::Surroundings shell = {};
};
policy::Decision decide_call(const Proposed& call, const Moment& moment);

}  // namespace chorus::turn
