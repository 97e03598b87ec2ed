#include "tools/question.hpp"
#include "tools/result.hpp"

namespace chorus::embedded {
extern const std::string_view tool_ask_user;
}

namespace chorus::tools {
namespace {

std::string no_detail(const Arguments&, const Workplace&) {
    return {};
}

// The answer is a person's: who decides the call gets it, and never runs this.
chat::ToolResult unanswered(const Arguments&, const Workplace&) {
    return failure("nobody answered");
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
        return "ask_user: there is no kind '" + question.kind +
               "'; there are text, confirmation and selection";
    if (question.kind == "selection" && question.options.size() < 2)
        return "ask_user: a selection needs 'options', two at least";
    if (question.kind == "text" && !question.options.empty())
        return "ask_user: 'options' are for a selection";
    return {};
}

Tool ask_user_tool() {
    return {"ask_user",
            embedded::tool_ask_user,
            {{"question", "string", "what you want to know", true},
             {"kind", "string", "text, confirmation or selection"},
             {"options", "array", "for a selection: what can be chosen"}},
            Class::question,
            "ask_user",
            no_detail,
            unanswered};
}

}  // namespace chorus::tools
