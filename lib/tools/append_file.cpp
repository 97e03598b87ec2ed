#include "tools/effect.hpp"
#include "tools/files.hpp"
#include "tools/result.hpp"

namespace chorus::tools {
namespace {

// `before` is the beginning of `after`.
std::string told(const std::string& path, bool is_new, std::string_view before,
                 const std::string& content, const std::string& after) {
    if (is_new) return "created " + listed(path) + " (" + measure(content) + ")\n";
    std::string text = "appended " + counted(content.size(), "byte") + " to " + listed(path) +
                       " (now " + measure(after) + ")\n";
    if (!before.empty() && before.back() != '\n')
        text += "[the file did not end in a newline: the appended text continues its last line]\n";
    return text;
}

Planned plan_file_append(const Arguments& arguments, const Workplace& workplace) {
    const std::string path = arguments.text("path");
    const std::string content = arguments.text("content");
    std::optional<sys::Lock> lock = lock_file(workplace, path);
    if (!lock) return locked_failure(path);
    Before before{no_file, {}};
    const bool is_new = workplace.root.open_to_read(path).outcome == sys::OpenOutcome::missing;
    if (!is_new) {
        std::string message;
        std::optional<std::string> text = read_text(workplace.root, path, message);
        if (!text) return failure(message);
        before = {content_hash(*text), std::move(text)};
    }
    std::string whole = before.text.value_or("");
    const std::size_t size = whole.size();
    whole += content;
    return plan_write(workplace, std::move(*lock), path, std::move(before), std::move(whole),
                      [=](const std::string& after) {
                          return answer(told(path, is_new, std::string_view(after).substr(0, size),
                                             content, after));
                      });
}

}  // namespace

Tool append_file_tool() {
    return {.parameters = {{"path", "string", "file to append to, relative to the workspace", true},
                           {"content", "string", "text to append, newlines included", true}},
            .kind = Class::write,
            .detail = path_detail,
            .plan = plan_file_append};
}

}  // namespace chorus::tools
