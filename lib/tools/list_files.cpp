#include "base/limits.hpp"
#include "base/text.hpp"
#include "tools/files.hpp"
#include "tools/path_pattern.hpp"
#include "tools/result.hpp"
#include "tools/walk.hpp"

namespace chorus::embedded {
extern const std::string_view tool_list_files;
}

namespace chorus::tools {
namespace {

constexpr std::size_t most_files = 2'000;
constexpr std::size_t most_characters =
    base::limits::tool_result_characters - 500;  // room for notes
constexpr std::int64_t most_ms = 10'000;

chat::ToolResult run(const Arguments& arguments, const Workplace& workplace) {
    const std::string path = arguments.text("path", ".");
    const std::string canonical = workplace.root.canonical(path);
    const std::string start = canonical == "." ? "" : canonical + "/";
    const PathPattern pattern(arguments.text("pattern"));
    std::string lines;
    std::size_t files = 0;
    std::size_t characters = 0;
    bool is_full = false;
    const Walked walked = walk_files(workplace, path, most_ms, [&](const sys::Entry& entry) {
        const bool is_below = entry.path.size() > start.size();
        if (!pattern.matches(is_below ? entry.path.substr(start.size()) : entry.path)) return true;
        const std::string line = listed(entry.path) + "\n";
        characters += base::utf8_length(line);
        is_full = files == most_files || characters > most_characters;
        if (is_full) return false;
        lines += line;
        ++files;
        return true;
    });
    if (!walked.error.empty()) return failure(walked.error);
    if (files == 0) lines = "no file matches\n";
    if (is_full)
        lines += "[the first " + std::to_string(files) +
                 " files are shown, there are more; narrow 'path' or 'pattern']\n";
    return answer(lines + notes_on(walked, most_ms));
}

}  // namespace

Tool list_files_tool() {
    return {"list_files",
            embedded::tool_list_files,
            {{"path", "string", "directory to list; default the workspace"},
             {"pattern", "string", "glob such as *.cpp or src/**/*.{js,ts}; default all files"}},
            Class::read,
            "list_files",
            path_detail,
            run};
}

}  // namespace chorus::tools
