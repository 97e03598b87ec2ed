#include "tools/files.hpp"
#include "tools/result.hpp"

namespace chorus::embedded {
extern const std::string_view tool_create_file;
}

namespace chorus::tools {
namespace {

chat::ToolResult run(const Arguments& arguments, const Workplace& workplace) {
    const std::string path = arguments.text("path");
    const std::string content = arguments.text("content");
    const std::optional<sys::Lock> lock = lock_file(workplace, path);
    if (!lock) return locked_failure(path);
    const sys::Opened before = workplace.root.open_to_read(path);
    const std::string problem = workplace.root.write_file(path, content);
    if (!problem.empty()) return failure(problem);
    const bool was_there = before.outcome == sys::OpenOutcome::opened;
    return answer((was_there ? "replaced " : "created ") + listed(path) + " (" + measure(content) +
                  (was_there ? "; was " + counted(before.size_bytes, "byte") : "") + ")\n");
}

}  // namespace

Tool create_file_tool() {
    return {"create_file",
            embedded::tool_create_file,
            {{"path", "string", "file to write, relative to the workspace", true},
             {"content", "string", "the whole text of the file", true}},
            Class::write,
            "create_file",
            path_detail,
            run};
}

}  // namespace chorus::tools
