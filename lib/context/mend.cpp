#include <algorithm>

#include "base/id.hpp"
#include "context/restore.hpp"

namespace chorus::context {
namespace {

using chat::Role;

constexpr std::size_t most_call_id_bytes = 256;
constexpr const char* no_result = "interrupted: the saved session has no result for this call";

struct OpenCall {
    std::string id;  // in the file
    std::string given;
};

struct Thread {
    bool has_begun = false;
    bool names_its_turns = false;  // its file marks the messages that start one
    bool answered = true;          // the last message is an answer without calls
    std::vector<OpenCall> open;
    std::set<std::string> taken;
};

class Mending {
  public:
    Mending(std::vector<SessionMessage> messages, CallIds taken) : given_(std::move(messages)) {
        for (auto& [thread, ids] : taken) threads_[thread].taken = std::move(ids);
        for (const SessionMessage& each : given_)
            if (each.message.starts_turn) threads_[each.thread].names_its_turns = true;
    }

    Mended run() {
        for (SessionMessage& each : given_) add(std::move(each));
        for (auto& [id, thread] : threads_) answer_open_calls(id, thread, last_time_);
        return std::move(mended_);
    }

  private:
    void add(SessionMessage each) {
        Thread& thread = threads_[each.thread];
        last_time_ = each.message.timestamp;
        // from now on its place is given by ids, not by this flag
        each.message.is_compaction = false;
        const bool fits = each.message.role == Role::tool_result ? fit_result(thread, each.message)
                                                                 : fit_word(thread, each);
        if (fits)
            mended_.messages.push_back(std::move(each));
        else
            ++mended_.left_out;
    }

    // A result without an id answers the oldest open call.
    static bool fit_result(Thread& thread, chat::Message& message) {
        const auto call =
            std::find_if(thread.open.begin(), thread.open.end(), [&](const OpenCall& open) {
                return message.tool_call_id.empty() || open.id == message.tool_call_id;
            });
        if (call == thread.open.end()) return false;
        message.tool_call_id = call->given;
        thread.open.erase(call);
        return true;
    }

    bool fit_word(Thread& thread, SessionMessage& each) {
        chat::Message& message = each.message;
        if (!thread.has_begun && message.role != Role::user) return false;
        answer_open_calls(each.thread, thread, message.timestamp);
        if (message.role == Role::user) {
            const bool begins = !thread.names_its_turns && thread.answered;
            message.starts_turn = message.starts_turn || begins || !thread.has_begun;
            thread.answered = false;
        } else {
            give_unique_ids(thread, message);
            thread.answered = message.tool_calls.empty();
        }
        thread.has_begun = true;
        return true;
    }

    static void give_unique_ids(Thread& thread, chat::Message& message) {
        for (chat::ToolCall& call : message.tool_calls) {
            OpenCall open{call.id, call.id};
            const bool usable = !call.id.empty() && call.id.size() <= most_call_id_bytes;
            if (!usable || !thread.taken.insert(call.id).second) {
                open.given = call.id = "call_" + base::random_short_id(12);
                thread.taken.insert(call.id);
                message.opaque.reset();  // it holds the old ids
            }
            thread.open.push_back(std::move(open));
        }
    }

    void answer_open_calls(store::ThreadId id, Thread& thread, base::TimeMs time) {
        for (const OpenCall& call : thread.open) {
            SessionMessage result;
            result.thread = id;
            result.message.role = Role::tool_result;
            result.message.content = no_result;
            result.message.tool_call_id = call.given;
            result.message.is_error = true;
            result.message.timestamp = time;
            mended_.messages.push_back(std::move(result));
            ++mended_.added;
        }
        thread.open.clear();
    }

    std::vector<SessionMessage> given_;
    std::map<store::ThreadId, Thread> threads_;
    Mended mended_;
    base::TimeMs last_time_ = 0;
};

}  // namespace

Mended mend(std::vector<SessionMessage> messages, CallIds taken) {
    return Mending(std::move(messages), std::move(taken)).run();
}

}  // namespace chorus::context
