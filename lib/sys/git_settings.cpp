#include "sys/git_settings.hpp"

#include <string_view>

#include "sys/process.hpp"
#include "sys/safe_directory.hpp"

namespace chorus::sys {
namespace {

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        if (c == '\n')
            result += "\\n";
        else
            result += c;
    }
    return result + "\"";
}

}  // namespace

std::string git_settings(const std::string& name, const std::string& email,
                         const Environment& environment) {
    std::string text = "[user]\n\tname = " + quoted(name) + "\n\temail = " + quoted(email) +
                       "\n[safe]\n\tbareRepository = explicit\n";
    for (const std::string& directory : safe_directories(environment))
        text += "\tdirectory = " + quoted(directory) + "\n";
    std::string program;
    if (find_program("git-lfs", program) == 0)
        text +=
            "[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n"
            "\tprocess = git-lfs filter-process\n\trequired = true\n";
    return text;
}

}  // namespace chorus::sys
