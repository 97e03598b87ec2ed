#include "base/limits.hpp"
#include "base/text.hpp"
#include "tools/files.hpp"
#include "tools/result.hpp"
#include "tools/walk.hpp"

namespace chorus::tools {
namespace {

constexpr std::size_t most_files = 2'000;
constexpr std::size_t most_listed_characters =
    base::limits::tool_result_characters - 500;  // room for notes

chat::ToolResult list_directory(const Arguments& arguments, const Workplace& workplace) {
    std::string lines;
    std::size_t files = 0;
    std::size_t characters = 0;
    bool is_full = false;
    const auto add = [&](const sys::Entry& entry) {
        const std::string line = listed(entry.path) + "\n";
        characters += base::utf8_length(line);
        is_full = files == most_files || characters > most_listed_characters;
        if (is_full) return false;
        lines += line;
        ++files;
        return true;
    };
    const Walked walked =
        walk_files(workplace, arguments.text("path", "."), arguments.text("pattern"), add);
    if (!walked.error.empty()) return failure(walked.error);
    if (files == 0) lines = "no file matches\n";
    if (is_full)
        lines += "[the first " + std::to_string(files) +
                 " files are shown, there are more; narrow 'path' or 'pattern']\n";
    return answer(lines + notes_on(walked));
}

}  // namespace

Tool list_files_tool() {
    return {.parameters = {{"path", "string", "directory to list; default the workspace"},
                           {"pattern", "string",
                            "glob such as *.cpp or src/**/*.{js,ts}; default all files"}},
            .kind = Class::read,
            .detail = path_detail,
            .run = list_directory};
}

}  // namespace chorus::tools
