// A home with one agent, and what was said to it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "context/session.hpp"
#include "store/messages.hpp"
#include "support/scratch.hpp"
#include "unit/store/home.hpp"

namespace chorus::context {

using Texts = std::vector<std::string>;

inline Texts texts(const std::vector<SessionMessage>& messages) {
    Texts result;
    for (const SessionMessage& each : messages) result.push_back(each.message.content);
    return result;
}

class AgentTest : public testing::Test {
  protected:
    AgentTest() : paths_(home_.directory()), store_(home_.open()) {
        id_ = store::add_agent(store_, "ada");
        store::in_transaction(
            store_, [&] { store::set_agent_status(store_, id_, store::AgentStatus::active); });
    }

    store::Agent agent() {
        store::Agent row = *store::find_agent(store_, id_);
        row.dir = "agents/ada";
        return row;
    }
    std::string directory() const { return home_.directory() + "/agents/ada/sessions"; }

    std::int64_t say(chat::Message message, store::ThreadId thread = 1) {
        if (message.timestamp == 0) message.timestamp = ++now_;
        return store::add_message(store_, id_, message, thread);
    }
    std::int64_t ask(const std::string& text, store::ThreadId thread = 1) {
        chat::Message message;
        message.content = text;
        message.starts_turn = true;
        return say(message, thread);
    }
    std::int64_t answer(const std::string& text, store::ThreadId thread = 1) {
        chat::Message message;
        message.role = chat::Role::assistant;
        message.content = text;
        return say(message, thread);
    }
    store::ThreadId add_thread() {
        return store::in_transaction(store_, [&] {
            store::Thread thread;
            thread.agent_id = id_;
            thread.id = 0;
            thread.parent_thread = 1;
            return store::insert_thread(store_, thread).id;
        });
    }
    std::vector<SessionMessage> context(base::TimeMs after_time = 0) {
        return agent_messages(store_, agent(), after_time);
    }

    store::Home home_;
    agent::Home paths_;
    store::Store store_;
    store::AgentId id_ = 0;
    base::TimeMs now_ = 1'770'892'200'000;
};

}  // namespace chorus::context
