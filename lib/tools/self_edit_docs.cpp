#include <algorithm>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "context/prompt_texts.hpp"
#include "tools/effect.hpp"
#include "tools/files.hpp"
#include "tools/result.hpp"
#include "tools/self_edit.hpp"

namespace chorus::tools {
namespace {

constexpr std::string_view docs = "docs/";

// Returns the path relative to the agent's directory, "docs/notes/a.md"; "" if it leads out of
// docs/. The root only computes the path and looks at no file.
std::string own_path(const std::string& path, const Workplace& workplace) {
    if (path.starts_with('/')) return {};
    std::string canonical = workplace.root.canonical(std::string(docs) + path);
    return canonical.starts_with(docs) ? canonical : std::string();
}

std::string detail(const Arguments& arguments, const Workplace& workplace) {
    const std::string path = arguments.text("path");
    const std::string own = own_path(path, workplace);
    return "docs:" + (own.empty() ? path : own.substr(docs.size()));
}

// Returns why it would not be a document, or "".
std::string fault_of(const std::string& path, const std::string& own, const std::string& content) {
    if (own.empty()) return path + ": leads out of docs/";
    if (!context::is_document(own.substr(docs.size())))
        return path + ": not a document: its name must end in .md";
    if (content.find('\0') != std::string::npos) return path + ": the content contains a NUL byte";
    return {};
}

Planned plan_docs_edit(const Arguments& arguments, const Workplace& workplace) {
    const std::string path = arguments.text("path");
    const std::string content = arguments.text("content");
    const std::string own = own_path(path, workplace);
    const std::string fault = fault_of(path, own, content);
    if (!fault.empty()) return failure(fault);
    std::optional<sys::Lock> lock = lock_configuration(workplace);
    if (!lock) return configuration_locked();

    using base::limits::docs_bytes;
    const sys::Root directory(workplace.directory.path(), "the agent's directory");
    const std::string hash = before_write(directory, own).hash;
    std::string before;
    std::string problem;
    if (hash != no_file &&
        !directory.read_file(own, base::limits::edited_file_bytes, before, problem))
        return failure(problem);
    const std::size_t bytes = context::documents_bytes(workplace.directory);
    const std::size_t others = bytes - std::min(bytes, before.size());
    if (others + content.size() > docs_bytes)
        return failure(listed(path) + ": " + counted(content.size(), "byte") +
                       ", and the other documents have " + counted(others, "byte") +
                       "; together they may have " + std::to_string(docs_bytes));
    if (hash != no_file && before == content)
        return answer(listed(own) + " has that content already; nothing was changed\n");
    return plan_self_edit(
        workplace, std::move(*lock),
        {listed(own), base::replace_invalid_utf8(before), content,
         (hash == no_file ? "It is new, " + measure(content) : "It was replaced as a whole") +
             "; you see it from the next model call on.",
         own, hash, content});
}

}  // namespace

Tool self_edit_docs_tool() {
    return {.parameters = {{"path", "string",
                            "the document, relative to docs/, such as notes/build.md", true},
                           {"content", "string", "the whole text of the document", true}},
            .kind = Class::write,
            .family = "self_edit",
            .detail = detail,
            .plan = plan_docs_edit};
}

}  // namespace chorus::tools
