#include "agent/transcript_mark.hpp"
#include "base/number.hpp"

namespace chorus::agent {
namespace {

constexpr std::string_view begin = "<!-- message ";
constexpr std::string_view end = " -->";

// `at`: where a mark may begin.
std::optional<TranscriptMark> read_mark(std::string_view text, std::size_t at) {
    if (at != 0 && text[at - 1] != '\n') return std::nullopt;
    std::string_view rest = text.substr(at + begin.size());
    const auto id = base::take_number<std::int64_t>(rest);
    if (!id || *id < 0) return std::nullopt;
    TranscriptMark mark;
    mark.id = *id;
    if (rest.starts_with(" {")) {
        const std::size_t closing = rest.substr(0, rest.find('\n')).find(end);
        if (closing == std::string_view::npos) return std::nullopt;
        mark.unshown = rest.substr(1, closing - 1);
        rest.remove_prefix(closing);
    }
    if (!rest.starts_with(end)) return std::nullopt;
    mark.end = text.size() - rest.size() + end.size();
    if (mark.end < text.size() && text[mark.end] == '\n') ++mark.end;
    return mark;
}

}  // namespace

std::string transcript_mark(std::int64_t message_id, std::string_view unshown) {
    std::string mark = std::string(begin) + std::to_string(message_id);
    if (!unshown.empty()) mark.append(" ").append(unshown);
    return mark.append(end).append("\n");
}

std::optional<TranscriptMark> next_transcript_mark(std::string_view text, std::size_t& from) {
    for (; (from = text.find(begin, from)) != std::string_view::npos; ++from)
        if (const auto mark = read_mark(text, from)) return mark;
    return std::nullopt;
}

std::optional<std::int64_t> last_transcript_mark(std::string_view text) {
    for (std::size_t at = text.rfind(begin); at != std::string_view::npos;
         at = text.rfind(begin, at - 1)) {
        if (const auto mark = read_mark(text, at)) return mark->id;
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
