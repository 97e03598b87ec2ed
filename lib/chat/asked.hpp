// What a person is asked about.
#pragma once

#include <string>

namespace chorus::chat {

// The action of a call, and what else its arguments (JSON) make of it: "tool:bash:make [in the
// background]". As untrusted as the action.
std::string asked_action(const std::string& action, const std::string& arguments);
// Whether the arguments are one text, which the action of that tool ends in.
bool says_all(const std::string& action, const std::string& tool, const std::string& arguments);

}  // namespace chorus::chat
