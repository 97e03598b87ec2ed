#include "context/transcript.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/text.hpp"
#include "base/time.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace chorus::context {
namespace {

constexpr std::string_view mark = "<!-- message ";
constexpr off_t step_bytes = 64 * 1024;

// A fence longer than any run of backticks inside.
std::string fence_for(std::string_view text) {
    std::size_t longest = 2;
    std::size_t run = 0;
    for (const char c : text) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return std::string(longest + 1, '`');
}

std::string fenced(std::string_view text) {
    const std::string fence = fence_for(text);
    return fence + "\n" + std::string(text) + (text.empty() || text.back() == '\n' ? "" : "\n") + fence + "\n";
}

// Text that imitates an entry's mark must not be taken for one.
std::string without_marks(std::string text) {
    for (std::size_t at = 0; (at = text.find("<!--", at)) != std::string::npos; at += 6)
        text.replace(at, 4, "<\\!--");
    return text;
}

std::string heading(const chat::Message& message) {
    switch (message.role) {
        case chat::Role::user: return "## User";
        case chat::Role::assistant: return "## Assistant";
        case chat::Role::tool_result: return "### Result of " + message.tool_call_id;
    }
    return {};
}

std::int64_t last_mark_in(std::string_view text) {
    const std::size_t at = text.rfind(mark);
    if (at == std::string_view::npos) return 0;
    std::int64_t id = 0;
    const std::string_view digits = text.substr(at + mark.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), id);
    return id;
}

}  // namespace

std::string transcript_entry(const chat::Message& message) {
    std::string text = "\n" + std::string(mark) + std::to_string(message.id) + " -->\n" + heading(message) +
                       " · " + base::iso8601(message.timestamp) + "\n\n";
    std::string body;
    if (message.role == chat::Role::tool_result) {
        body = fenced(base::visible(message.content));
    } else {
        body = base::visible(message.content) + "\n";
        for (const chat::ToolCall& call : message.tool_calls)
            body += "\nCall " + call.id + ": " + base::visible(call.name, base::Newlines::escape) + "\n\n" +
                    fenced(base::visible(call.arguments));
    }
    return text + without_marks(std::move(body));
}

std::int64_t last_transcript_message(const std::string& path) {
    const sys::Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat status {};
    if (!fd || fstat(fd.get(), &status) != 0) return 0;
    // from the end, in overlapping pieces, so that a long transcript costs nothing
    for (off_t start = status.st_size; start > 0;) {
        start = std::max<off_t>(0, start - step_bytes);
        std::string piece(static_cast<std::size_t>(step_bytes) + 64, '\0');
        const ssize_t size = pread(fd.get(), piece.data(), piece.size(), start);
        if (size <= 0) return 0;
        piece.resize(static_cast<std::size_t>(size));
        if (const std::int64_t id = last_mark_in(piece); id != 0) return id;
    }
    return 0;
}

void append_to_transcript(const std::string& path, const std::vector<chat::Message>& messages) {
    std::string text;
    for (const chat::Message& message : messages) text += transcript_entry(message);
    if (!text.empty()) sys::append_file(path, text);
}

}  // namespace chorus::context
