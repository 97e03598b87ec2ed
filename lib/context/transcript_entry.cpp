#include "context/transcript_entry.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "agent/transcript_mark.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "chat/json.hpp"
#include "chat/stored.hpp"

namespace chorus::context {
namespace {

using chat::Role;

constexpr std::size_t slack_bytes = 1024;
constexpr std::string_view user_heading = "## User";
constexpr std::string_view assistant_heading = "## Assistant";
constexpr std::string_view result_heading = "### Result of ";
constexpr std::string_view separator = " · ";
constexpr std::string_view call_begin = "\nCall ";

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

void append_fenced(std::string& all, std::string_view text) {
    const std::string fence = fence_for(text);
    all.append(fence).append("\n").append(text).append("\n").append(fence).append("\n");
}

std::string heading(const chat::Message& message) {
    if (message.role == Role::tool_result)
        return std::string(result_heading) + visible_line(message.tool_call_id);
    return std::string(message.role == Role::user ? user_heading : assistant_heading);
}

std::string shown(const chat::Message& message) {
    std::string text =
        heading(message) + std::string(separator) + base::iso8601(message.timestamp) + "\n\n";
    // a long text is not copied more often than it must be
    text.reserve(message.content.size() + slack_bytes);
    if (message.role == Role::tool_result) {
        append_fenced(text, base::visible(message.content));
        return text;
    }
    text += base::visible(message.attachments.empty() ? std::string_view(message.content)
                                                      : chat::shown_content(message));
    text += '\n';
    for (const chat::ToolCall& call : message.tool_calls) {
        text += "\nCall " + visible_line(call.id) + ": " + visible_line(call.name) + "\n\n";
        append_fenced(text, base::visible(call.arguments));
    }
    return text;
}

// Takes what comes before the end of a line, or nothing.
std::optional<std::string_view> take_line(std::string_view& text) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    return line;
}

// Takes the text in a fence, and the line that closes it.
std::optional<std::string> take_fenced(std::string_view& text) {
    const auto fence = take_line(text);
    if (!fence || fence->size() < 3 || fence->find_first_not_of('`') != std::string_view::npos)
        return std::nullopt;
    const std::string closing = "\n" + std::string(*fence) + "\n";
    const std::size_t end = text.find(closing);
    if (end == std::string_view::npos) return std::nullopt;
    std::string inside(text.substr(0, end));
    text.remove_prefix(end + closing.size());
    return inside;
}

std::vector<chat::ToolCall> read_calls(std::string_view text) {
    std::vector<chat::ToolCall> calls;
    while (text.starts_with(call_begin)) {
        text.remove_prefix(call_begin.size());
        const auto line = take_line(text);
        const std::size_t colon = line ? line->find(": ") : std::string_view::npos;
        if (colon == std::string_view::npos || !text.starts_with("\n")) return {};
        text.remove_prefix(1);
        auto arguments = take_fenced(text);
        if (!arguments) return {};
        calls.push_back({std::string(line->substr(0, colon)), std::string(line->substr(colon + 2)),
                         std::move(*arguments)});
    }
    return calls;
}

// Reads what transcript_entry writes below its mark; nothing if it is no message.
std::optional<chat::Message> read_shown(std::string_view text) {
    const auto line = take_line(text);
    const std::size_t split = line ? line->rfind(separator) : std::string_view::npos;
    if (split == std::string_view::npos) return std::nullopt;
    const std::string_view who = line->substr(0, split);
    const auto when = base::parse_iso8601(line->substr(split + separator.size()));
    const bool is_result = who.starts_with(result_heading);
    if (!when || !(is_result || who == user_heading || who == assistant_heading))
        return std::nullopt;
    chat::Message message;
    message.timestamp = *when;
    if (text.starts_with("\n")) text.remove_prefix(1);
    if (is_result) {
        message.role = Role::tool_result;
        message.tool_call_id = who.substr(result_heading.size());
        message.content = take_fenced(text).value_or(std::string(text));
        return message;
    }
    if (who == assistant_heading) {
        message.role = Role::assistant;
        const std::size_t calls = text.find("\n" + std::string(call_begin));
        if (calls != std::string_view::npos) {
            message.tool_calls = read_calls(text.substr(calls + 1));
            if (!message.tool_calls.empty()) text = text.substr(0, calls + 1);
        }
    }
    if (text.ends_with("\n")) text.remove_suffix(1);
    message.content = text;
    return message;
}

// Blocks of a provider are valid for it alone, and a status block is made anew.
std::string kept_extra(chat::Message message) {
    message.opaque.reset();
    message.status.clear();
    return chat::store_extra(message);
}

// Returns what reading `text` does not give back.
std::string unshown(const chat::Message& message, std::string_view text) {
    const chat::Message read = read_shown(text).value_or(chat::Message());
    chat::Json members = chat::Json::object();
    if (read.content != message.content) members["content"] = message.content;
    if (read.tool_call_id != message.tool_call_id) members["tool_call_id"] = message.tool_call_id;
    if (read.tool_calls != message.tool_calls) {
        chat::Json& calls = members["tool_calls"] = chat::Json::array();
        for (const chat::ToolCall& call : message.tool_calls)
            calls.push_back({{"id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
    }
    if (const std::string extra = kept_extra(message); !extra.empty())
        members["extra"] = chat::Json::parse(extra);
    if (members.empty()) return {};
    std::string json = members.dump(-1, ' ', true, chat::Json::error_handler_t::replace);
    std::string escaped;
    char before = 0;
    for (const char c : json) {
        if (c == '<')
            escaped += "\\u003c";
        else if (c == '>')
            escaped += "\\u003e";
        else if (c == ' ' && before == ' ')  // a long run hides what comes after it
            escaped += "\\u0020";
        else
            escaped += c;
        before = c;
    }
    return escaped;
}

void add_unshown(chat::Message& message, std::string_view unshown, const std::string& what) {
    if (unshown.empty()) return;
    const chat::Json members = chat::parse_json(unshown, what, chat::DuplicateKeys::last_wins,
                                                unshown.size(), base::ErrorCode::bad_request);
    message.content = chat::string_or(members, "content", std::move(message.content));
    message.tool_call_id =
        chat::string_or(members, "tool_call_id", std::move(message.tool_call_id));
    if (const chat::Json& calls = chat::member(members, "tool_calls"); calls.is_array())
        message.tool_calls = chat::load_tool_calls(chat::dump(calls));
    if (const chat::Json& extra = chat::member(members, "extra"); extra.is_object())
        chat::load_extra(chat::dump(extra), message);
}

std::string without_returns(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at)
        if (text[at] != '\r' || text.substr(at, 2) != "\r\n") out += text[at];
    return out;
}

}  // namespace

std::string visible_line(std::string_view text) {
    return base::visible(text, base::Newlines::escape);
}

std::string transcript_entry(const chat::Message& message) {
    std::string text = agent::without_marks(shown(message));
    text.insert(0, "\n" + agent::transcript_mark(message.id, unshown(message, text)));
    return text;
}

bool is_transcript(std::string_view text) {
    std::size_t begin = 0;
    return !text.starts_with('{') && agent::next_transcript_mark(text, begin);
}

std::vector<chat::Message> read_transcript(std::string_view text, const std::string& what) {
    // an entry has no carriage return: it would be shown escaped
    if (text.find("\r\n") != std::string_view::npos)
        return read_transcript(without_returns(text), what);
    std::vector<chat::Message> messages;
    std::map<std::int64_t, std::size_t> known;
    std::size_t begin = 0;
    auto mark = agent::next_transcript_mark(text, begin);
    while (mark) {
        const agent::TranscriptMark own = *mark;
        begin = own.end;
        mark = agent::next_transcript_mark(text, begin);
        // the line before a mark is empty
        const std::size_t end = mark ? std::max(begin - 1, own.end) : text.size();
        // the ids of an earlier home say nothing about later ones
        if (own.id == 0) known.clear();
        std::optional<chat::Message> message = read_shown(text.substr(own.end, end - own.end));
        if (!message || own.id == 0) continue;
        message->id = own.id;
        add_unshown(*message, own.unshown, what + ": message " + std::to_string(own.id));
        const auto [at, is_new] = known.emplace(own.id, messages.size());
        if (is_new)
            messages.push_back(std::move(*message));
        else  // the first was cut short by a crash
            messages[at->second] = std::move(*message);
    }
    return messages;
}

}  // namespace chorus::context
