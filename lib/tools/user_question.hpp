// What ask_user asks.
#pragma once

#include <string>
#include <vector>

#include "tools/tool.hpp"

namespace chorus::tools {

struct Question {
    std::string text;
    std::string kind;                  // text, confirmation, selection
    std::vector<std::string> options;  // for a confirmation: yes and no
};
Question question_of(const Arguments& arguments);
// Returns what is wrong with the arguments, or "".
std::string question_problem(const Arguments& arguments);

}  // namespace chorus::tools
