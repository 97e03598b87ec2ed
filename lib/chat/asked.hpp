// The text of a question about a call.
#pragma once

#include <string>
#include <vector>

namespace chorus::chat {

// The possible answers of a question, of a JSON array; none for other text.
std::vector<std::string> parse_options(const std::string& json);
// The text of a question with its possible answers: "Which? [red | blue]".
std::string asked_question(const std::string& text, const std::vector<std::string>& options);

// How the text of a question begins that is asked again: why follows.
constexpr const char* asked_again = "asked again: ";
// The action of a call, plus what its arguments (JSON) add to it, and why it is asked again:
// "tool:bash:make [in the background] (asked again: changed: Makefile)". As untrusted as the
// action.
std::string asked_action(const std::string& action, const std::string& arguments,
                         const std::string& text = {});
// Whether the arguments are a single string, which the tool's action already shows in full.
bool says_all(const std::string& action, const std::string& tool, const std::string& arguments);

}  // namespace chorus::chat
