#include "context/transcript.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "agent/transcript_mark.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace chorus::context {
namespace {

constexpr off_t step_bytes = 16 * 1024;

// Returns a fence longer than any run of backticks in the text.
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
    return fence + "\n" + std::string(text) + (text.empty() || text.back() == '\n' ? "" : "\n") +
           fence + "\n";
}

std::string visible_line(std::string_view text) {
    return base::visible(text, base::Newlines::escape);
}

std::string heading(const chat::Message& message) {
    switch (message.role) {
        case chat::Role::user:
            return "## User";
        case chat::Role::assistant:
            return "## Assistant";
        case chat::Role::tool_result:
            return "### Result of " + visible_line(message.tool_call_id);
    }
    return {};
}

}  // namespace

std::string transcript_entry(const chat::Message& message) {
    std::string text = heading(message) + " · " + base::iso8601(message.timestamp) + "\n\n";
    if (message.role == chat::Role::tool_result) {
        text += fenced(base::visible(message.content));
    } else {
        text += base::visible(message.content) + "\n";
        for (const chat::ToolCall& call : message.tool_calls)
            text += "\nCall " + visible_line(call.id) + ": " + visible_line(call.name) + "\n\n" +
                    fenced(base::visible(call.arguments));
    }
    return "\n" + agent::transcript_mark(message.id) + agent::without_marks(std::move(text));
}

// Answers are stored and sent as they came, but shown without what looks like a key.
std::vector<chat::Message> without_secrets(std::vector<chat::Message> messages,
                                           const policy::Redaction& redaction) {
    for (chat::Message& message : messages) {
        if (message.role != chat::Role::assistant) continue;
        message.content = redaction.apply(message.content);
        for (chat::ToolCall& call : message.tool_calls)
            call.arguments = redaction.apply(call.arguments);
    }
    return messages;
}

std::int64_t last_transcript_message(const std::string& path) {
    const sys::Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat status {};
    if (!fd && errno == ENOENT) return 0;
    // returning 0 would make the caller write the whole transcript again
    if (!fd || fstat(fd.get(), &status) != 0) throw base::system_error(path);
    // read from the end, in overlapping pieces, so that the length of a transcript does not matter
    for (off_t start = status.st_size; start > 0;) {
        start = std::max<off_t>(0, start - step_bytes);
        std::string piece(
            static_cast<std::size_t>(std::min(step_bytes + 64, status.st_size - start)), '\0');
        const ssize_t size = pread(fd.get(), piece.data(), piece.size(), start);
        if (size < 0) throw base::system_error(path);
        piece.resize(static_cast<std::size_t>(size));
        if (const auto id = agent::last_transcript_mark(piece)) return *id;
    }
    return 0;
}

void append_to_transcript(const std::string& path, const std::vector<chat::Message>& messages) {
    std::string text;
    for (const chat::Message& message : messages) text += transcript_entry(message);
    if (!text.empty()) sys::append_file(path, text);
}

std::string transcript_path(const agent::Directory& directory, const store::Thread& thread) {
    return directory.transcript(thread.branch.empty() ? "main" : thread.branch, thread.id,
                                store::has_own_branch(thread));
}

void append_notice(const std::string& path, const std::string& heading, const std::string& text,
                   std::optional<std::int64_t> through) {
    const std::int64_t mark = through ? *through : last_transcript_message(path);
    sys::append_file(path, "\n" + agent::transcript_mark(mark) +
                               agent::without_marks("## " + heading + "\n\n" + text + "\n"));
}

}  // namespace chorus::context
