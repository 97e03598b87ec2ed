// Decides about a call. Used by the turn that is about to run it, by `explain` for the text of an
// action, and when a pending call is approved.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "place/rights.hpp"
#include "policy/profile.hpp"
#include "policy/redaction.hpp"
#include "tools/tool.hpp"

namespace chorus::approval {

struct Proposed {
    policy::Action action;
    std::string text = {};     // as the model wrote it, secrets included
    bool is_question = false;  // from the model to a person
    std::string profile = {};  // the profile to put in force: a name, "custom"; "" for none
    std::optional<policy::ProfileText> rights = {};  // its text; absent if only the action is known
};
// A call of the tool whose action that is, without its text.
Proposed proposed(const tools::Tool& tool, const std::string& action,
                  const tools::Arguments& arguments, const agent::HomeConfiguration& home);
// Parses an action such as "tool:git:checkout main". A path or a model name is normalised as the
// tool would do it. Error(bad_request) if no tool makes such an action, Error(config_invalid) for
// an unknown profile.
Proposed proposed(const std::string& action, const tools::Workplace& workplace,
                  const agent::HomeConfiguration& home);

struct Moment {
    const place::Rights& rights;
    const policy::Redaction& secrets;
    const agent::HomeConfiguration& configuration;
    std::vector<std::string> actors;  // the people the agent works for
    policy::ShellConfinement shell = {};
};
policy::Decision decide_call(const Proposed& call, const Moment& moment);

}  // namespace chorus::approval
