#include "chorus-tasks/verb.hpp"

#include "base/text.hpp"
#include "cli/main.hpp"

namespace chorus::tasks_command {

std::string one_line(std::string_view text) {
    std::string shown;
    for (const char c : base::visible(text, base::Newlines::escape)) {
        if (c == '\t')
            shown += "\\t";
        else
            shown += c;
    }
    return shown;
}

void notice(const std::string& what) {
    cli::print_line(program, "notice", what);
}

}  // namespace chorus::tasks_command
