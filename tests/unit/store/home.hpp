// A home of its own for every test, and the rows most tests need.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "store/agents.hpp"
#include "store/messages.hpp"
#include "store/store.hpp"
#include "store/text_index.hpp"
#include "store/turns.hpp"

namespace chorus::store {

// Takes away what 0012 and what came after it add.
constexpr const char* without_imports =
    "DROP TABLE attachments; DROP TABLE model_calls; DROP TABLE usage_sums; ALTER TABLE turns DROP "
    "COLUMN reasoning_tokens; "
    "ALTER TABLE turns DROP COLUMN cost; ALTER TABLE turns ADD COLUMN cost_usd REAL; "
    "DROP TABLE active_profiles; DROP TABLE cooling_profiles; DROP TABLE profile_switches; "
    "DROP TABLE requested_switches; "
    "DROP INDEX inbox_key; ALTER TABLE inbox DROP COLUMN idempotency_key; "
    "ALTER TABLE turns DROP COLUMN plan; DROP INDEX agents_call; ALTER TABLE agents DROP COLUMN parent_turn; "
    "ALTER TABLE agents DROP COLUMN parent_call; ALTER TABLE agents DROP COLUMN rights; "
    "ALTER TABLE threads ADD COLUMN status TEXT; "
    "ALTER TABLE tool_runs DROP COLUMN patch; DROP INDEX agents_place; "
    "ALTER TABLE agents DROP COLUMN place; DROP TABLE clock_disputes; "
    "DROP TABLE imports; "
    "ALTER TABLE threads DROP COLUMN is_importing; "
    "DELETE FROM settings WHERE scope = 'search'; "
    "CREATE INDEX agents_activity ON agents(last_activity); CREATE TABLE credentials (name TEXT); "
    "CREATE TABLE credential_switches (id INTEGER); CREATE TABLE reservations (id INTEGER); ";

class Home {
  public:
    Home() {
        std::string name =
            (std::filesystem::temp_directory_path() / "chorus-store-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw base::system_error(name);
        directory_ = name;
    }
    ~Home() { std::filesystem::remove_all(directory_); }
    Home(const Home&) = delete;
    Home& operator=(const Home&) = delete;

    const std::string& directory() const { return directory_; }
    Store::Paths paths() const {
        return {directory_ + "/chorus.db", directory_ + "/locks/database"};
    }
    Store open() const { return Store::open(paths()); }

  private:
    std::string directory_;
};

// Runs `work` in a child process, which is to end with 0; SIGALRM where it hangs.
template <typename Work>
pid_t start_child(Work work) {
    std::fflush(nullptr);
    const pid_t pid = fork();
    if (pid != 0) return pid;
    alarm(60);
    try {
        work();
    } catch (const base::Error& error) {
        std::fprintf(stderr, "child: %s\n", error.what());
        _exit(1);
    }
    _exit(0);
}

inline int wait_for(pid_t pid) {
    int status = -1;
    waitpid(pid, &status, 0);
    return status;
}

inline std::string read_bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

template <typename Work>
base::Error error_of(Work work) {
    try {
        work();
    } catch (const base::Error& error) {
        return error;
    }
    ADD_FAILURE() << "no error";
    return {base::ErrorCode::internal, "no error"};
}

template <typename Work>
auto in_transaction(Store& store, Work work) {
    Transaction transaction(store);
    if constexpr (std::is_void_v<decltype(work())>) {
        work();
        transaction.commit();
    } else {
        auto result = work();
        transaction.commit();
        return result;
    }
}

inline AgentId add_agent(Store& store, std::string_view name) {
    return in_transaction(store, [&] {
        Agent agent;
        agent.name = name;
        return insert_agent(store, agent).id;
    });
}

inline Turn add_turn(Store& store, AgentId agent, ThreadId thread = 1) {
    return in_transaction(store, [&] {
        Turn turn;
        turn.agent_id = agent;
        turn.thread_id = thread;
        insert_turn(store, turn);
        return turn;
    });
}

inline chat::Message user_message(std::string content, base::TimeMs timestamp, TurnId turn = 0) {
    chat::Message message;
    message.content = std::move(content);
    message.timestamp = timestamp;
    message.turn_id = turn;
    return message;
}

inline std::int64_t add_message(Store& store, AgentId agent, const chat::Message& message,
                                ThreadId thread = 1) {
    return in_transaction(store, [&] { return insert_message(store, agent, thread, message); });
}

}  // namespace chorus::store
