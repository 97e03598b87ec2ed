#include "context/import_file.hpp"

#include <map>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"

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
    void check_line(const ThreadLine& line) {
        require(threads_.insert(line.thread.id).second, "the thread is given twice");
    }
    void check_line(const TurnLine& line) {
        require(threads_.count(line.turn.thread_id) > 0, "no earlier line describes its thread");
        require(turns_.emplace(line.turn.id, line.turn.thread_id).second,
                "the turn is given twice");
    }
    void check_line(const MessageLine& line) {
        const chat::Message& message = line.stored.message;
        require(message.id > newest_, "its id is not greater than the previous one");
        require(threads_.count(line.stored.thread) > 0, "no earlier line describes its thread");
        const auto turn = turns_.find(message.turn_id);
        require(message.turn_id == 0 || turn != turns_.end(), "no earlier line describes its turn");
        require(message.turn_id == 0 || turn->second == line.stored.thread,
                "its turn belongs to another thread");
        newest_ = message.id;
        ++messages_;
    }
    void check_line(const QueuedLine& line) {
        require(threads_.count(line.row.thread_id) > 0, "no earlier line describes its thread");
        ++queued_;
    }
    void check_line(const SessionLine& line) {
        require(sessions_.insert(line.id).second, "the session is given twice");
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
        agree(line.queued, queued_, "queued messages");
        ended_ = true;
    }

    std::string_view text_;
    const std::string& name_;
    std::size_t number_ = 0;
    bool ended_ = false;
    std::int64_t newest_ = 0;
    std::size_t messages_ = 0;
    std::size_t queued_ = 0;
    std::set<store::ThreadId> threads_;
    std::map<store::TurnId, store::ThreadId> turns_;
    std::set<std::string> sessions_;
};

}  // namespace

void for_each_line(std::string_view text, const std::string& name,
                   const std::function<void(ImportLine&)>& use) {
    Lines(text, name).for_each(use);
}

Contents contents_of(std::string_view text, const std::string& name) {
    Contents contents;
    for_each_line(text, name, [&](ImportLine& line) {
        if (auto* session = std::get_if<SessionLine>(&line))
            contents.sessions.push_back(std::move(*session));
        else if (const auto* message = std::get_if<MessageLine>(&line))
            contents.messages +=
                1 + static_cast<std::int64_t>(message->stored.message.tool_calls.size());
        else if (std::holds_alternative<TurnLine>(line))
            ++contents.turns;
    });
    return contents;
}

}  // namespace chorus::context
