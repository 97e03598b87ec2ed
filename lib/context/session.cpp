#include "context/session.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/id.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "chat/json_text.hpp"
#include "chat/stored.hpp"
#include "context/window.hpp"
#include "store/messages.hpp"
#include "store/turns.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"

namespace chorus::context {
namespace {

using chat::JsonText;
using chat::Role;

constexpr std::size_t most_summary_characters = 1000;
constexpr std::size_t most_topic_characters = 80;
constexpr std::size_t most_answer_characters = 300;
constexpr std::size_t most_slug_bytes = 48;
constexpr std::size_t most_named_tools = 5;

// One line of at most so many characters, an ellipsis where something is left out.
std::string one_line(std::string_view text, std::size_t most) {
    std::string line;
    bool blank = false;
    for (const char c : text) {
        const bool is_blank = static_cast<unsigned char>(c) <= ' ';
        if (!is_blank && blank && !line.empty()) line += ' ';
        if (!is_blank) line += c;
        blank = is_blank;
        if (line.size() > most * 4) break;  // a character has at most four bytes
    }
    if (base::utf8_length(line) <= most) return line;
    std::size_t bytes = 0;
    for (std::size_t characters = 0; characters < most; ++bytes)
        if ((static_cast<unsigned char>(line[bytes]) & 0xC0U) != 0x80U) ++characters;
    line.resize(bytes - 1);
    return line + "…";
}

std::string first_line(std::string_view text) {
    for (const std::string_view line : base::split_lines(text))
        if (!base::trim(line).empty()) return std::string(line);
    return {};
}

std::string counted(std::size_t count, std::string_view what) {
    return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

// "7 calls: bash 5, view 2", those called most first.
std::string call_counts(const std::vector<SessionMessage>& messages) {
    std::map<std::string, std::size_t> by_tool;
    std::size_t calls = 0;
    for (const SessionMessage& each : messages)
        for (const chat::ToolCall& call : each.message.tool_calls) {
            ++by_tool[one_line(call.name, 32)];
            ++calls;
        }
    if (calls == 0) return {};
    std::vector<std::pair<std::string, std::size_t>> tools(by_tool.begin(), by_tool.end());
    std::stable_sort(tools.begin(), tools.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> named;
    for (std::size_t i = 0; i < std::min(tools.size(), most_named_tools); ++i)
        named.push_back(tools[i].first + " " + std::to_string(tools[i].second));
    if (tools.size() > most_named_tools) named.emplace_back("others");
    return ", " + counted(calls, "call") + ": " + base::join(named, ", ");
}

std::vector<chat::Message> thread_window(store::Store& store, const store::Agent& agent,
                                         const store::Thread& thread, base::TimeMs after_time) {
    const auto open = store::find_open_turn(store, agent.id, thread.id);
    const std::int64_t open_turn = open ? open->id : 0;
    const std::int64_t after_message = std::max(agent.last_clear_message, thread.window_start - 1);
    auto loaded =
        store::load_window(store, agent.id, thread.id, {after_message, after_time, open_turn});
    return cut_window(std::move(loaded), {.open_turn = open_turn}).messages;
}

// The model's own text as an object, for readers that look no further. {} where it is none, or so
// deep that the file, which lies around it by five levels, could not be read again.
std::string parameters_of(const chat::ToolCall& call) {
    const auto object = chat::try_parse_json(call.arguments, call.arguments.size());
    if (!object || !object->is_object()) return "{}";
    const std::string nested = "[[[[[" + chat::dump(*object) + "]]]]]";
    if (!chat::try_parse_json(nested, nested.size())) return "{}";
    return nested.substr(5, nested.size() - 10);
}

void write_message(JsonText& out, const SessionMessage& each) {
    const chat::Message& message = each.message;
    out.begin_object().key("role").string(chat::name(message.role));
    out.key("content").string(message.content);
    if (!message.tool_calls.empty()) {
        out.key("tool_calls").begin_array();
        for (const chat::ToolCall& call : message.tool_calls)
            out.begin_object()
                .key("id")
                .string(call.id)
                .key("name")
                .string(call.name)
                .key("params")
                .raw(parameters_of(call))
                .key("arguments")
                .string(call.arguments)
                .end_object();
        out.end_array();
    }
    if (message.role == Role::tool_result) out.key("tool_call_id").string(message.tool_call_id);
    out.key("timestamp").string(base::iso8601(message.timestamp));
    out.key("thread_id").number(each.thread);
    if (!each.model.empty()) out.key("model").string(each.model);
    const std::string extra = chat::store_extra(message);
    if (!extra.empty()) out.key("extra").raw(extra);
    out.end_object();
}

std::string file_text(const store::Session& session, const std::string& model,
                      const std::vector<SessionMessage>& messages) {
    std::size_t expected_bytes = 4096;
    for (const SessionMessage& each : messages)
        expected_bytes += each.message.content.size() * 9 / 8 + 256;
    JsonText out(expected_bytes);
    out.begin_object().key("schema").string("chorus.session/1");
    out.key("id").string(session.id).key("session_id").string(session.id);
    out.key("agent_name").string(session.agent_name);
    out.key("description").string(session.description);
    out.key("summary").string(session.summary);
    const std::string saved_at = base::iso8601(session.saved_at);
    out.key("saved_at").string(saved_at).key("timestamp").string(saved_at);
    out.key("trigger").string(session.trigger);
    out.key("message_count").number(session.message_count);
    out.key("window_start").string(base::iso8601(session.window_start));
    out.key("window_end").string(base::iso8601(session.window_end));
    out.key("model").string(model);
    out.key("messages").begin_array();
    for (const SessionMessage& each : messages) write_message(out, each);
    out.end_array().end_object();
    return base::replace_invalid_utf8(out.text()) + "\n";
}

// The name of the file. Two that save at once, on one day and of one thing, each get their own.
std::string put_in_place(const std::string& directory, const store::Session& session,
                         const std::string& text) {
    const std::string slug = base::slug(session.description, most_slug_bytes);
    const std::string stem =
        base::iso8601(session.saved_at).substr(0, 10) + "_" + (slug.empty() ? "session" : slug);
    for (const std::string& file : {stem + ".json", stem + "-" + session.id.substr(0, 8) + ".json"})
        if (sys::write_file_if_free(directory + "/" + file, text)) return file;
    throw base::Error(base::ErrorCode::failed, directory + "/" + stem + ".json: the name is taken");
}

}  // namespace

std::string_view name(SessionTrigger trigger) {
    constexpr std::array<std::string_view, 7> names{"manual_save", "idle_timeout", "shutdown",
                                                    "destroy",     "pre_restore",  "context_clear",
                                                    "compaction"};
    return names.at(static_cast<std::size_t>(trigger));
}

std::vector<SessionMessage> session_messages(store::Store& store, const store::Agent& agent,
                                             const std::vector<store::ThreadId>& threads,
                                             base::TimeMs after_time) {
    std::vector<SessionMessage> messages;
    std::map<std::int64_t, std::string> models;
    for (const store::ThreadId id : threads) {
        const auto thread = store::find_thread(store, agent.id, id);
        if (!thread) continue;
        for (chat::Message& message : thread_window(store, agent, *thread, after_time)) {
            const auto [model, is_new] = models.try_emplace(message.turn_id);
            if (is_new)
                if (const auto turn = store::find_turn(store, message.turn_id))
                    model->second = turn->model;
            messages.push_back({std::move(message), id, model->second});
        }
    }
    std::sort(messages.begin(), messages.end(),
              [](const auto& a, const auto& b) { return a.message.id < b.message.id; });
    return messages;
}

std::string topic(const std::vector<SessionMessage>& messages) {
    for (const SessionMessage& each : messages)
        if (each.message.role == Role::user)
            return one_line(first_line(each.message.content), most_topic_characters);
    return {};
}

std::string plain_summary(const std::vector<SessionMessage>& messages) {
    std::size_t asked = 0;
    std::size_t answered = 0;
    std::string last;
    for (const SessionMessage& each : messages) {
        asked += each.message.role == Role::user ? 1 : 0;
        if (each.message.role != Role::assistant) continue;
        ++answered;
        if (!base::trim(each.message.content).empty())
            last = one_line(each.message.content, most_answer_characters);
    }
    const std::string counts = "(" + counted(asked, "message") + " of the user, " +
                               counted(answered, "answer") + call_counts(messages) + ")";
    const std::string about = topic(messages);
    return (about.empty() ? counts : about + " " + counts) +
           (last.empty() ? "" : ". Last answer: " + last);
}

store::Session save_session(store::Store& store, const agent::Home& home, const store::Agent& agent,
                            const std::vector<SessionMessage>& messages, const SessionAbout& about,
                            const policy::Redaction& redaction) {
    store::Session session;
    session.id = base::random_uuid();
    session.agent_id = agent.id;
    session.agent_name = agent.name;
    session.summary =
        redaction.apply(about.summary.empty() ? plain_summary(messages) : about.summary);
    session.summary = one_line(session.summary, most_summary_characters);
    session.description =
        about.description.empty() ? session.summary : redaction.apply(about.description);
    session.trigger = name(about.trigger);
    session.saved_at = sys::now_ms();
    session.message_count = static_cast<std::int64_t>(messages.size());
    session.window_start = messages.empty() ? session.saved_at : messages.front().message.timestamp;
    session.window_end = messages.empty() ? session.saved_at : messages.back().message.timestamp;
    const std::string text = file_text(session, about.model, messages);
    session.sha256 = base::sha256_hex(text);

    const std::string relative = agent::Directory(agent.dir).sessions();
    const std::string directory = home.path() + "/" + relative;
    if (!sys::is_directory(directory)) {
        sys::make_directory(directory);
        sys::sync_directory(home.path() + "/" + agent.dir);
    }
    session.file_path = relative + "/" + put_in_place(directory, session, text);
    store::Transaction transaction(store);
    store::insert_session(store, session);
    transaction.commit();
    return session;
}

}  // namespace chorus::context
