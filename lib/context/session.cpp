#include "context/session.hpp"

#include <algorithm>
#include <map>

#include "base/enum_names.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/id.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "context/window.hpp"
#include "store/believed.hpp"
#include "store/messages.hpp"
#include "store/turns.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"

namespace chorus::context {
namespace {

using chat::Role;

constexpr std::size_t most_topic_characters = 80;
constexpr std::size_t most_answer_characters = 300;
constexpr std::size_t most_slug_bytes = 48;
constexpr std::size_t most_named_tools = 5;

// Returns one line of at most `most` characters, with an ellipsis if something is left out.
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
    for (const std::string_view line : base::split_lines(text)) {
        const std::string_view words = base::trim(line);
        // the frame of a piped text says nothing
        if (!words.empty() && words != "<stdin>") return std::string(line);
    }
    return {};
}

// "7 calls: bash 5, view 2", most called first.
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
    return ", " + base::counted(calls, "call") + ": " + base::join(named, ", ");
}

std::vector<chat::Message> thread_window(store::Store& store, const store::Agent& agent,
                                         const store::Thread& thread, base::TimeMs after_time) {
    const auto open = store::find_open_turn(store, agent.id, thread.id);
    const std::int64_t open_turn = open ? open->id : 0;
    auto loaded = store::load_window(store, agent.id, thread.id,
                                     store::bounds_of(agent, thread, after_time, open_turn));
    return cut_window(std::move(loaded), {.open_turn = open_turn}).messages;
}

// Sets the oldest and the newest believed time; the first message need not be the oldest, as a
// summary comes before older ones. If no time is believed, both are the time of saving.
void set_span(const std::vector<SessionMessage>& messages, store::Session& row) {
    std::vector<base::TimeMs> times;
    for (const SessionMessage& each : messages)
        if (store::is_believed(each.message.timestamp, row.saved_at))
            times.push_back(each.message.timestamp);
    if (times.empty()) times = {row.saved_at};
    const auto [first, last] = std::minmax_element(times.begin(), times.end());
    row.window_start = *first;
    row.window_end = *last;
}

// "2026-11-02_fix-the-parser": the name of a session's file without its ending.
std::string file_stem(base::TimeMs saved_at, std::string_view description) {
    const std::string slug = base::slug(description, most_slug_bytes);
    return base::iso8601(saved_at).substr(0, 10) + "_" + (slug.empty() ? "session" : slug);
}

}  // namespace

bool place_session(store::Session& row, const store::Agent& agent,
                   const agent::Directory& directory, const std::string& text) {
    row.agent_id = agent.id;
    row.sha256 = base::sha256_hex(text);
    const std::string sessions = directory.sessions();
    if (!sys::is_directory(sessions)) {
        sys::make_directory(sessions);
        sys::sync_directory(directory.path());
    }
    const std::string place = agent::Directory(agent.dir).sessions();
    const std::string stem = file_stem(row.saved_at, row.description);
    for (const std::string& end :
         {std::string(), "-" + base::slug(row.id, 8), "-" + row.sha256.substr(0, 16)}) {
        const std::string name = "/" + stem + end + ".json";
        row.file_path = place + name;
        if (sys::write_file_if_free(sessions + name, text)) return true;
        if (sys::read_file(sessions + name, base::limits::session_bytes) == text) return false;
    }
    throw base::Error(base::ErrorCode::failed, sessions + "/" + stem + ".json: the name is taken");
}

std::string_view name(SessionTrigger trigger) {
    constexpr base::EnumNames<SessionTrigger, 7> names{{"manual_save", "idle_timeout", "shutdown",
                                                        "destroy", "pre_restore", "context_clear",
                                                        "compaction"}};
    return names.name(trigger);
}

std::vector<SessionMessage> session_messages(store::Store& store, const store::Agent& agent,
                                             const std::vector<store::ThreadId>& threads,
                                             base::TimeMs after_time) {
    std::vector<SessionMessage> messages;
    std::map<std::int64_t, std::string> models;
    for (const store::ThreadId id : threads) {
        const auto thread = store::find_thread(store, agent.id, id);
        if (!thread) continue;
        auto window = thread_window(store, agent, *thread, after_time);
        if (window.empty()) continue;
        const auto times = store::original_times(store, agent.id, id, agent.last_clear_message);
        for (chat::Message& message : window) {
            const auto said = times.find(message.id);
            if (said != times.end()) message.timestamp = said->second;
            const auto [model, is_new] = models.try_emplace(message.turn_id);
            if (is_new)
                if (const auto turn = store::find_turn(store, message.turn_id))
                    model->second = turn->model;
            messages.push_back({std::move(message), id, model->second});
        }
    }
    // a summary comes first, though its id is greater than those of the messages after it
    const auto place = [](const SessionMessage& each) {
        return std::pair(!each.message.is_compaction, each.message.id);
    };
    std::sort(messages.begin(), messages.end(),
              [&](const auto& a, const auto& b) { return place(a) < place(b); });
    return messages;
}

std::vector<SessionMessage> agent_messages(store::Store& store, const store::Agent& agent,
                                           base::TimeMs after_time) {
    std::vector<store::ThreadId> threads;
    for (const store::Thread& thread : store::list_threads(store, agent.id))
        threads.push_back(thread.id);
    return session_messages(store, agent, threads, after_time);
}

std::string topic_of(const chat::Message& message) {
    return one_line(first_line(message.content), most_topic_characters);
}

std::string topic(const std::vector<SessionMessage>& messages) {
    for (const SessionMessage& each : messages)
        if (each.message.role == Role::user && !each.message.is_compaction)
            return topic_of(each.message);
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
    const std::string counts = "(" + base::counted(asked, "message") + " of the user, " +
                               base::counted(answered, "answer") + call_counts(messages) + ")";
    const std::string about = topic(messages);
    return (about.empty() ? counts : about + " " + counts) +
           (last.empty() ? "" : ". Last answer: " + last);
}

std::string summary_of(const std::vector<SessionMessage>& messages, const Summarize& summarize) {
    if (!summarize || messages.empty()) return plain_summary(messages);
    std::string summary = summarize(messages);
    return summary.empty() ? std::string(failed_summary) : summary;
}

store::Session write_session(const agent::Home& home, const store::Agent& agent,
                             const std::vector<SessionMessage>& messages, const SessionAbout& about,
                             const policy::Redaction& redaction) {
    store::Session row;
    row.id = base::random_uuid();
    row.agent_name = agent.name;
    row.summary = redaction.apply(about.summary.empty() ? plain_summary(messages) : about.summary);
    row.summary = one_line(row.summary, base::limits::summary_characters);
    row.description = redaction.apply(about.description);
    if (row.description.empty())
        row.description = row.summary == failed_summary ? topic(messages) : row.summary;
    row.trigger = name(about.trigger);
    row.saved_at = sys::now_ms();
    row.message_count = static_cast<std::int64_t>(messages.size());
    set_span(messages, row);
    const std::string text = session_text(row, about.model, messages);

    place_session(row, agent, home.directory(agent.dir), text);
    return row;
}

store::Session save_session(store::Store& store, const agent::Home& home, const store::Agent& agent,
                            const std::vector<SessionMessage>& messages, const SessionAbout& about,
                            const policy::Redaction& redaction) {
    store::Session row = write_session(home, agent, messages, about, redaction);
    store::Transaction transaction(store);
    store::insert_session(store, row);
    transaction.commit();
    return row;
}

}  // namespace chorus::context
