#include "tools/result.hpp"
#include "tools/user_question.hpp"

namespace chorus::tools {
namespace {

// Not run for a question that was answered: its result is the answer, taken when the call is
// decided.
chat::ToolResult unanswered(const Arguments&, const Workplace&) {
    return failure("the question was not answered");
}

}  // namespace

Question question_of(const Arguments& arguments) {
    Question question;
    question.text = arguments.text("question");
    question.kind = arguments.text("kind", "text");
    question.options = arguments.list("options");
    if (question.kind == "confirmation") question.options = {"yes", "no"};
    return question;
}

std::string question_problem(const Arguments& arguments) {
    const Question question = question_of(arguments);
    if (question.text.empty()) return "ask_user: 'question' is empty";
    if (question.kind != "text" && question.kind != "confirmation" && question.kind != "selection")
        return "ask_user: unknown kind '" + question.kind +
               "'; use text, confirmation or selection";
    if (question.kind == "selection" && question.options.size() < 2)
        return "ask_user: a selection needs at least two 'options'";
    if (question.kind == "text" && !question.options.empty())
        return "ask_user: 'options' are only for a selection";
    return {};
}

Tool ask_user_tool() {
    return {.parameters = {{"question", "string", "the question to ask", true},
                           {"kind", "string", "text, confirmation or selection; default text"},
                           {"options", "array", "for a selection: the possible answers"}},
            .kind = Class::question,
            .run = unanswered};
}

}  // namespace chorus::tools
