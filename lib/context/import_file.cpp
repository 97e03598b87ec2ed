#include "context/import_file.hpp"

#include <map>
#include <set>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "context/transcript_entry.hpp"
#include "model/attachment.hpp"

namespace chorus::context {
namespace {

using base::Error;
using base::ErrorCode;

// Reads the lines in order and checks that each is allowed where it is.
class Lines {
  public:
    Lines(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    void for_each(const std::function<void(ImportLine&)>& use) {
        while (!text_.empty()) {
            ++number_;
            const std::size_t end = text_.find('\n');
            const std::string_view text = text_.substr(0, end);
            if (number_ == 1 && !text.starts_with('{'))
                throw Error(ErrorCode::bad_request, name_ + ": neither an export nor a transcript",
                            std::string(import_hint));
            if (text.starts_with('{') && !base::trim(text).ends_with('}'))
                throw wrong("not JSON: the line is cut off");
            ImportLine line = parse_import_line(text, place());
            text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
            check(line);
            use(line);
        }
        if (number_ == 0)
            throw Error(ErrorCode::bad_request, name_ + ": it is empty", std::string(import_hint));
        if (!ended_) throw wrong("the file ends after it, without its last line: it was cut off");
    }

  private:
    std::string place() const { return name_ + ": line " + std::to_string(number_); }
    Error wrong(const std::string& why) const {
        return {ErrorCode::bad_request, place() + ": " + why, std::string(import_hint)};
    }
    void require(bool holds, const std::string& why) const {
        if (!holds) throw wrong(why);
    }

    void check(const ImportLine& line) {
        require(!ended_, "it follows the last line");
        require((number_ == 1) == std::holds_alternative<ImportedAgent>(line),
                number_ == 1 ? "it is not an agent line" : "a second agent line");
        std::visit([this](const auto& one) { check_line(one); }, line);
    }
    void check_line(const ImportedAgent&) {}
    void check_line(const store::Thread& thread) {
        require(threads_.insert(thread.id).second, "the thread is given twice");
    }
    void check_line(const store::Turn& turn) {
        require(threads_.count(turn.thread_id) > 0, "no earlier line describes its thread");
        require(turns_.emplace(turn.id, turn.thread_id).second, "the turn is given twice");
    }
    void check_line(const store::StoredMessage& stored) {
        const chat::Message& message = stored.message;
        require(message.id > newest_, "its id is not greater than the previous one");
        require(threads_.count(stored.thread) > 0, "no earlier line describes its thread");
        const auto turn = turns_.find(message.turn_id);
        require(message.turn_id == 0 || turn != turns_.end(), "no earlier line describes its turn");
        require(message.turn_id == 0 || turn->second == stored.thread,
                "its turn belongs to another thread");
        newest_ = message.id;
        ++messages_;
    }
    void check_line(const Delivered& one) {
        require(turns_.contains(one.row.delivered_turn), "no earlier line describes its turn");
        ++delivered_;
    }
    void check_line(const store::InboxRow& row) {
        require(threads_.count(row.thread_id) > 0, "no earlier line describes its thread");
        ++queued_;
    }
    void check_line(const AttachedFile& file) {
        require(attachments_.insert(file.sha256).second, "the attachment is given twice");
    }
    void check_line(const SavedSession& saved) {
        require(sessions_.insert(saved.row.id).second, "the session is given twice");
    }
    void check_line(const EndLine& line) {
        const auto agree = [&](std::int64_t said, std::size_t found, const char* what) {
            require(said == static_cast<std::int64_t>(found), "expected " + std::to_string(said) +
                                                                  " " + what + ", found " +
                                                                  std::to_string(found));
        };
        agree(line.threads, threads_.size(), "threads");
        agree(line.turns, turns_.size(), "turns");
        agree(line.messages, messages_, "messages");
        agree(line.sessions, sessions_.size(), "sessions");
        agree(line.attachments, attachments_.size(), "attachments");
        agree(line.delivered, delivered_, "delivered messages");
        agree(line.queued, queued_, "queued messages");
        ended_ = true;
    }

    std::string_view text_;
    const std::string& name_;
    std::size_t number_ = 0;
    bool ended_ = false;
    std::int64_t newest_ = 0;
    std::size_t messages_ = 0;
    std::size_t delivered_ = 0;
    std::size_t queued_ = 0;
    std::set<store::ThreadId> threads_;
    std::map<store::TurnId, store::ThreadId> turns_;
    std::set<std::string> attachments_;
    std::set<std::string> sessions_;
};

std::string problem_of(const chat::Message& message) {
    if (message.content.size() > base::limits::answer_bytes) return "it is too long";
    if (message.tool_call_id.size() > most_word_bytes) return "the id of its call is too long";
    if (message.tool_calls.size() > most_calls) return "it has too many calls";
    std::set<std::string> ids;
    for (const chat::ToolCall& call : message.tool_calls) {
        if (call.id.size() > most_word_bytes || call.name.size() > most_word_bytes ||
            call.arguments.size() > base::limits::answer_bytes)
            return "a call has an id, a name or arguments that are too long";
        if (call.id.empty() || !ids.insert(call.id).second)
            return "two calls have the same id, or one has none";
    }
    for (const chat::Attachment& each : message.attachments)
        if (!model::is_attachment(each)) return "it has an invalid attachment";
    return {};
}

void for_each_entry(std::string_view text, const std::string& name,
                    const std::function<void(ImportLine&)>& use) {
    std::vector<chat::Message> messages = read_transcript(text, name);
    store::Agent agent;
    agent.name = text.substr(0, text.find('\n'));
    if (!messages.empty()) agent.created_at = messages.front().timestamp;
    ImportLine line = ImportedAgent{origin_of(agent), 0, {}};
    use(line);
    store::Thread thread;
    thread.id = 1;
    line = std::move(thread);
    use(line);
    std::int64_t id = 0;
    for (chat::Message& message : messages) {
        if (const std::string why = problem_of(message); !why.empty())
            throw Error(ErrorCode::bad_request,
                        name + ": message " + std::to_string(message.id) + ": " + why);
        store::StoredMessage stored;
        stored.thread = 1;
        stored.message = std::move(message);
        stored.message.id = ++id;
        keep_flags_of_role(stored.message);
        line = std::move(stored);
        use(line);
    }
}

}  // namespace

void for_each_line(std::string_view text, const std::string& name,
                   const std::function<void(ImportLine&)>& use) {
    if (is_transcript(text))
        for_each_entry(text, name, use);
    else
        Lines(text, name).for_each(use);
}

Contents contents_of(std::string_view text, const std::string& name) {
    Contents contents;
    for_each_line(text, name, [&](ImportLine& line) {
        if (auto* session = std::get_if<SavedSession>(&line))
            contents.sessions.push_back(std::move(*session));
        else if (const auto* message = std::get_if<store::StoredMessage>(&line))
            contents.messages += 1 + static_cast<std::int64_t>(message->message.tool_calls.size());
        else if (std::holds_alternative<store::Turn>(line))
            ++contents.turns;
    });
    return contents;
}

}  // namespace chorus::context
