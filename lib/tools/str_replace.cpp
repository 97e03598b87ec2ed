#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "tools/effect.hpp"
#include "tools/files.hpp"
#include "tools/replacement.hpp"
#include "tools/result.hpp"

namespace chorus::tools {
namespace {

constexpr std::size_t most_lines_named = 20;
constexpr std::size_t most_places_shown = 10;
constexpr std::size_t lines_around = 3;

std::string named(const std::vector<std::size_t>& lines) {
    return fmt::format("line{} {}", lines.size() == 1 ? "" : "s", fmt::join(lines, ", "));
}

std::string not_found(const std::string& path, const std::string& content,
                      const std::string& old_str) {
    std::string text = path + ": old_str was not found; nothing was changed";
    const std::vector<std::size_t> near = lines_but_for_blanks(content, old_str, most_lines_named);
    if (!near.empty())
        return text + ". It would match at " + named(near) +
               " if white space were ignored: view those lines and copy them exactly";
    const std::vector<std::string_view> wanted = base::split_lines(base::trim(old_str));
    if (wanted.empty()) return text;
    const std::vector<std::size_t> first =
        lines_but_for_blanks(content, wanted.front(), most_lines_named);
    if (wanted.size() > 1 && !first.empty())
        text += ". Only its first line was found, at " + named(first);
    return text;
}

std::string too_many(const std::string& path, const std::string& content,
                     const std::vector<std::size_t>& places) {
    std::vector<std::size_t> lines;
    for (const std::size_t place : places)
        if (lines.size() < most_lines_named) lines.push_back(line_of(content, place));
    return path + ": old_str was found " + std::to_string(places.size()) + " times, at " +
           named(lines) + (lines.size() < places.size() ? " and more" : "") +
           "; nothing was changed. Include more of the text around the one you mean, or set 'all'";
}

chat::ToolResult replaced(const std::string& path, const std::string& after,
                          const std::vector<Replaced::Lines>& changed) {
    std::vector<Replaced::Lines> shown = changed;
    shown.resize(std::min(shown.size(), most_places_shown));
    std::string text = "replaced " + std::to_string(changed.size()) +
                       (changed.size() == 1 ? " match in " : " matches in ") + listed(path) + "\n" +
                       numbered_around(after, shown, lines_around);
    if (shown.size() < changed.size())
        text += "[only the first " + std::to_string(shown.size()) + " places are shown]\n";
    return answer(text, Keep::start, "use view");
}

Planned plan(const Arguments& arguments, const Workplace& workplace) {
    const std::string path = arguments.text("path");
    std::string old_str = arguments.text("old_str");
    std::string new_str = arguments.text("new_str");
    if (old_str.empty())
        return failure(path + ": old_str is empty; use create_file or append_file");
    if (old_str == new_str) return failure(path + ": old_str and new_str are the same");
    std::optional<sys::Lock> lock = lock_file(workplace, path);
    if (!lock) return locked_failure(path);
    std::string message;
    const std::optional<std::string> content = read_text(workplace.root, path, message);
    if (!content) return failure(message);
    if (is_binary(*content)) return failure(binary_message(path, *content, content->size()));
    // Models write plain newlines, as view shows them.
    const bool writes_plain = (old_str + new_str).find('\r') == std::string::npos;
    if (writes_plain && has_crlf_only(*content)) {
        old_str = with_crlf(old_str);
        new_str = with_crlf(new_str);
    }
    const std::vector<std::size_t> places = find_all(*content, old_str);
    if (places.empty()) return failure(not_found(path, *content, old_str));
    if (places.size() > 1 && !arguments.flag("all"))
        return failure(too_many(path, *content, places));
    Replaced result = replace_at(*content, places, old_str.size(), new_str);
    return plan_write(workplace, std::move(*lock), path, {content_hash(*content), *content},
                      std::exchange(result.text, {}), [=](const std::string& after) {
                          return replaced(path, after, result.changed);
                      });
}

}  // namespace

Tool str_replace_tool() {
    return {
        .parameters = {{"path", "string", "file to change, relative to the workspace", true},
                       {"old_str", "string", "text to find, exactly as it is in the file", true},
                       {"new_str", "string", "replacement text; may be empty", true},
                       {"all", "boolean", "replace every match; default false"}},
        .kind = Class::write,
        .detail = path_detail,
        .plan = plan};
}

}  // namespace chorus::tools
