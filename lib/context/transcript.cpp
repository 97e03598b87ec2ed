#include "context/transcript.hpp"

#include <string_view>

#include "agent/transcript_mark.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "context/transcript_entry.hpp"
#include "store/messages.hpp"
#include "sys/file.hpp"

namespace chorus::context {
namespace {

constexpr std::size_t step_bytes = 16 * 1024;

}  // namespace

void redact(chat::Message& message, const policy::Redaction& redaction) {
    message.content = redaction.apply(message.content);
    message.tool_call_id = redaction.apply(message.tool_call_id);
    for (chat::ToolCall& call : message.tool_calls)
        for (std::string* text : {&call.id, &call.name, &call.arguments})
            *text = redaction.apply(*text);
}

// Answers are stored and sent as they came, but shown without what looks like a key.
std::vector<chat::Message> without_secrets(std::vector<chat::Message> messages,
                                           const policy::Redaction& redaction) {
    for (chat::Message& message : messages)
        if (message.role == chat::Role::assistant)
            redact(message, redaction);
        else
            message.tool_call_id = redaction.apply(message.tool_call_id);
    return messages;
}

std::int64_t last_transcript_message(const std::string& path) {
    // the length of a transcript does not matter: the last entry is near its end
    for (std::size_t most = step_bytes;; most *= 4) {
        const sys::Tail tail = sys::read_tail(path, most);
        if (const auto id = agent::last_transcript_mark(tail.text)) return *id;
        if (tail.total_bytes <= most) return 0;
    }
}

namespace {

std::string logged_calls(const chat::Message& message) {
    const std::string when = "* [" + base::iso8601(message.timestamp) + "] ";
    std::string text;
    for (const chat::ToolCall& call : message.tool_calls)
        text += when + visible_line(call.name) + "\n  - call :: " + visible_line(call.id) +
                "\n  - arguments :: " + visible_line(call.arguments) + "\n";
    if (message.role == chat::Role::tool_result)
        text += when + "result\n  - call :: " + visible_line(message.tool_call_id) +
                "\n  - outcome :: " + (message.is_error ? "error" : "done") + ", " +
                base::counted(static_cast<std::int64_t>(message.content.size()), "byte") + "\n";
    return text;
}

}  // namespace

void append_to_transcript(const std::string& path, const std::vector<chat::Message>& messages) {
    std::string text;
    for (const chat::Message& message : messages) {
        std::string entry = transcript_entry(message);
        if (text.empty())
            text.swap(entry);
        else
            text += entry;
    }
    if (text.empty()) return;
    sys::append_file(path, text);
    const std::string log = path.substr(0, path.rfind('/') + 1) + "tools.org";
    if (!sys::exists(log)) return;
    std::string calls;
    for (const chat::Message& message : messages) calls += logged_calls(message);
    if (!calls.empty()) sys::append_file(log, calls);
}

void write_transcript(store::Store& store, const agent::Directory& directory,
                      const store::Agent& agent, const policy::Redaction& redaction) {
    std::string text = "# " + agent.name + "\n";
    for (const chat::Message& message :
         without_secrets(store::load_messages_after(store, agent.id, 1, 0), redaction))
        text += transcript_entry(message);
    sys::write_file(directory.transcript("main", 1, true), text);
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
