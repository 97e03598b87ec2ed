#include "tools/captured.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "tools/result.hpp"

namespace chorus::tools {
namespace {

constexpr std::size_t most_characters =
    base::limits::tool_result_characters - 500;  // header and titles
constexpr std::string_view rest_hint =
    "to see the rest, write the output to a file and use view or search_files";

// Also says how many bytes were dropped before.
std::string section(std::string_view title, std::string_view text, const sys::Captured& captured,
                    std::size_t characters) {
    if (text.empty()) return {};
    std::string shown = std::string(title) + ":\n";
    if (captured.total_bytes > captured.text.size())
        shown += "[" + std::to_string(captured.total_bytes) + " bytes in all, the last " +
                 std::to_string(captured.text.size()) + " were kept]\n";
    shown += bounded_to(characters, text, Keep::end, rest_hint);
    if (shown.back() != '\n') shown += '\n';
    return shown;
}

}  // namespace

std::string captured_text(const sys::Captured& captured_out, const sys::Captured& captured_err) {
    const std::string out = base::replace_invalid_utf8(captured_out.text);
    const std::string err = base::replace_invalid_utf8(captured_err.text);
    if (out.empty() && err.empty()) return "no output\n";
    // stderr gets a third if both are long; each also gets what the other leaves.
    const std::size_t left = most_characters - std::min(base::utf8_length(out), most_characters);
    const std::size_t for_err =
        std::min(base::utf8_length(err), std::max(most_characters / 3, left));
    return section("stdout", out, captured_out, most_characters - for_err) +
           section("stderr", err, captured_err, for_err);
}

}  // namespace chorus::tools
