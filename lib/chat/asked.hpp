// The text of a question about a call.
#pragma once

#include <string>

namespace chorus::chat {

// The action of a call, plus what its arguments (JSON) add to it: "tool:bash:make [in the
// background]". As untrusted as the action.
std::string asked_action(const std::string& action, const std::string& arguments);
// Whether the arguments are a single string, which the tool's action already shows in full.
bool says_all(const std::string& action, const std::string& tool, const std::string& arguments);

}  // namespace chorus::chat
