#include "agent/transcript_mark.hpp"
#include "base/number.hpp"

namespace chorus::agent {
namespace {

constexpr std::string_view begin = "<!-- message ";
constexpr std::string_view end = " -->";

std::optional<std::int64_t> read_mark(std::string_view text) {
    text.remove_prefix(begin.size());
    const auto id = base::take_number<std::int64_t>(text);
    return id >= 0 && text.starts_with(end) ? id : std::nullopt;
}

}  // namespace

std::string transcript_mark(std::int64_t message_id) {
    return std::string(begin) + std::to_string(message_id) + std::string(end) + "\n";
}

std::optional<std::int64_t> last_transcript_mark(std::string_view text) {
    for (std::size_t at = text.rfind(begin); at != std::string_view::npos;
         at = text.rfind(begin, at - 1)) {
        const bool begins_line = at == 0 || text[at - 1] == '\n';
        if (const auto id = read_mark(text.substr(at)); id && begins_line) return id;
        if (at == 0) break;
    }
    return std::nullopt;
}

std::string without_marks(std::string text) {
    static constexpr std::string_view apart = "<\\!--";
    for (std::size_t at = 0; (at = text.find("<!--", at)) != std::string::npos; at += apart.size())
        text.replace(at, 4, apart);
    return text;
}

}  // namespace chorus::agent
