#include "context/compaction.hpp"

#include "base/text.hpp"
#include "chat/block.hpp"
#include "context/window.hpp"
#include "store/messages.hpp"
#include "sys/clock.hpp"

namespace chorus::context {

std::size_t older_half(const std::vector<chat::Message>& window) {
    const std::int64_t whole = estimated_tokens(window);
    std::size_t half = 0;
    std::int64_t before = 0;
    bool has_turn = false;
    for (std::size_t i = 0; i < window.size(); ++i) {
        if (window[i].starts_turn && has_turn) {
            half = i;
            if (before * 2 >= whole) break;
        }
        has_turn = has_turn || (window[i].starts_turn && !window[i].is_compaction);
        before += estimated_tokens(window[i]);
    }
    return half;
}

chat::Message compaction_message(std::size_t messages, const std::string& summary) {
    constexpr const char* tag = "earlier-conversation";
    chat::Message message;
    message.content = "<" + std::string(tag) + ">\nThis summary replaces the " +
                      base::counted(static_cast<std::int64_t>(messages), "message") +
                      " before it. The user did not write it.\n\n" +
                      chat::without_closing(summary, tag) + "\n</" + tag + ">";
    message.starts_turn = true;
    message.is_compaction = true;
    message.timestamp = sys::now_ms();
    return message;
}

void write_compaction(store::Store& store, store::Thread& thread,
                      const std::vector<chat::Message>& replaced, const chat::Message& message,
                      const store::Session& saved) {
    store::Transaction transaction(store);
    store::insert_session(store, saved);
    const std::int64_t id = store::insert_message(store, thread.agent_id, thread.id, message);
    store::compact_messages(store, replaced, id);
    thread.compaction = id;
    thread.window_floor = replaced.back().id + 1;
    store::set_window_floor(store, thread.agent_id, thread.id, thread.window_floor);
    transaction.commit();
}

}  // namespace chorus::context
