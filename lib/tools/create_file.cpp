#include "tools/effect.hpp"
#include "tools/files.hpp"
#include "tools/result.hpp"

namespace chorus::tools {
namespace {

Planned plan_creation(const Arguments& arguments, const Workplace& workplace) {
    const std::string path = arguments.text("path");
    std::optional<sys::Lock> lock = lock_file(workplace, path);
    if (!lock) return locked_failure(path);
    const sys::Opened before = workplace.root.open_to_read(path);
    const bool was_there = before.outcome == sys::OpenOutcome::opened;
    const std::string was = was_there ? "; was " + counted(before.size_bytes, "byte") : "";
    return plan_write(workplace, std::move(*lock), path, before_write(workplace.root, path),
                      arguments.text("content"), [=](const std::string& content) {
                          return answer((was_there ? "replaced " : "created ") + listed(path) +
                                        " (" + measure(content) + was + ")\n");
                      });
}

}  // namespace

Tool create_file_tool() {
    return {.parameters = {{"path", "string", "file to write, relative to the workspace", true},
                           {"content", "string", "the whole text of the file", true}},
            .kind = Class::write,
            .detail = path_detail,
            .plan = plan_creation};
}

}  // namespace chorus::tools
