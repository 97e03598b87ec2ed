// What ask_user asks.
#pragma once

#include <string>
#include <vector>

#include "tools/tool.hpp"

namespace chorus::tools {

struct Question {
    std::string text;
    std::string kind;                  // text, confirmation, selection
    std::vector<std::string> options;  // of a confirmation: yes and no
};
Question question_of(const Arguments& arguments);
// Why the arguments are no question, or "".
std::string question_problem(const Arguments& arguments);

}  // namespace chorus::tools
