#include "context/session_check.hpp"

#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/id.hpp"
#include "base/limits.hpp"
#include "context/session.hpp"
#include "context/window.hpp"
#include "store/messages.hpp"
#include "store/turns.hpp"
#include "sys/beneath.hpp"
#include "sys/file.hpp"

namespace chorus::context {
namespace {

// The row of a file, or why it is not a session.
struct FileRow {
    store::Session row;
    std::string problem;
};

class SessionCheck {
  public:
    SessionCheck(store::Store& store, const agent::Home& home, bool fix)
        : store_(store), home_(home), fix_(fix) {}

    std::vector<Finding> run() {
        const auto agents = store::list_agents(store_);
        std::map<store::AgentId, std::vector<std::string>> files;
        // rows are read after files, as a session saved meanwhile has its file first
        for (const store::Agent& agent : agents) files[agent.id] = files_of(agent);
        for (store::Session& row : store::list_sessions(store_)) remember(std::move(row));
        for (const store::Agent& agent : agents)
            for (const std::string& file : files[agent.id]) check_file(agent, file);
        for (const auto& [key, row] : rows_) check_row(row);
        return std::move(findings_);
    }

  private:
    std::vector<std::string> files_of(const store::Agent& agent) const {
        const std::string directory = agent::Directory(agent.dir).sessions();
        std::vector<std::string> files;
        if (!sys::is_directory(home_.path() + "/" + directory)) return files;
        for (const std::string& name : sys::list_directory(home_.path() + "/" + directory))
            if (name.ends_with(".json")) files.push_back(directory + "/" + name);
        return files;
    }

    FileRow read(const store::Agent& agent, const std::string& path) const {
        const sys::Root root(home_.path());
        FileRow read;
        std::string text;
        if (!root.read_file(path, base::limits::session_bytes, text, read.problem)) return read;
        auto session = read_session(text, path);
        if (const auto* error = std::get_if<base::Error>(&session)) {
            read.problem = error->message();
            return read;
        }
        read.row = std::get<SessionFile>(std::move(session)).row;
        if (read.row.id.empty()) read.row.id = base::random_uuid();
        if (read.row.agent_name.empty()) read.row.agent_name = agent.name;
        read.row.agent_id = agent.id;
        read.row.file_path = path;
        read.row.sha256 = base::sha256_hex(text);
        return read;
    }

    void check_file(const store::Agent& agent, const std::string& path) {
        const FileRow file = read(agent, path);
        const store::Session* entered = row_of(agent.id, path);
        if (!file.problem.empty()) {
            found(file.problem);
        } else if (entered == nullptr) {
            check_stray(file.row);
        } else if (entered->sha256 != file.row.sha256) {
            if (file.row.id == entered->id)
                enter(file.row, path + ": it differs from what was saved");
            else
                found(path + ": it is session " + file.row.id + ", not " + entered->id);
        }
    }

    void check_stray(const store::Session& row) {
        const auto same = rows_.find({row.agent_id, row.id});
        if (same != rows_.end() && is_there(same->second))
            found(row.file_path + ": a copy of session " + row.id);
        else
            enter(row, row.file_path + ": it has no row in the database");
    }

    void check_row(const store::Session& row) {
        if (row.file_path.empty() || is_there(row)) return;
        if (fix_) {
            store::Transaction transaction(store_);
            store::forget_session_file(store_, row.agent_id, row.id);
            transaction.commit();
        }
        findings_.push_back(
            {row.file_path + ": it is missing, but session " + row.id + " refers to it", fix_});
    }

    void enter(const store::Session& row, const std::string& what) {
        if (fix_) {
            store::Transaction transaction(store_);
            store::insert_session(store_, row);
            transaction.commit();
            remember(row);
        }
        findings_.push_back({what, fix_});
    }
    void found(const std::string& what) { findings_.push_back({what, false}); }

    void remember(store::Session row) {
        ids_[{row.agent_id, row.file_path}] = row.id;
        rows_[{row.agent_id, row.id}] = std::move(row);
    }
    const store::Session* row_of(store::AgentId agent, const std::string& path) const {
        const auto id = ids_.find({agent, path});
        return id == ids_.end() ? nullptr : &rows_.at({agent, id->second});
    }
    bool is_there(const store::Session& row) const {
        return !row.file_path.empty() && sys::exists(home_.path() + "/" + row.file_path);
    }

    store::Store& store_;
    const agent::Home& home_;
    bool fix_;
    std::map<std::pair<store::AgentId, std::string>, store::Session> rows_;  // by id
    std::map<std::pair<store::AgentId, std::string>, std::string> ids_;      // by path
    std::vector<Finding> findings_;
};

// The newest turn is ignored: its calls get their results when the thread continues.
std::string problem_of(store::Store& store, const store::Agent& agent,
                       const store::Thread& thread) {
    const auto newest = store::newest_turn(store, agent.id, thread.id);
    auto messages =
        store::load_window(store, agent.id, thread.id, store::bounds_of(agent, thread, 0));
    if (newest)
        std::erase_if(messages,
                      [&](const chat::Message& message) { return message.turn_id == newest->id; });
    messages = cut_window(std::move(messages), {}).messages;
    return messages.empty() ? "" : find_torn(messages);
}

void begin_anew(store::Store& store, const store::Agent& agent, store::Thread thread) {
    store::Transaction transaction(store);
    thread.window_start = store::newest_message_id(store, agent.id, thread.id) + 1;
    thread.compaction = 0;
    store::set_cut(store, thread);
    store::set_window_floor(store, agent.id, thread.id, thread.window_start);
    store::set_compaction(store, agent.id, thread.id, 0);
    transaction.commit();
}

}  // namespace

std::vector<Finding> check_sessions(store::Store& store, const agent::Home& home, bool fix) {
    return SessionCheck(store, home, fix).run();
}

std::vector<Finding> check_windows(store::Store& store, bool fix) {
    std::vector<Finding> findings;
    for (const store::Agent& agent : store::list_agents(store))
        for (const store::Thread& thread : store::list_threads(store, agent.id)) {
            const std::string problem = problem_of(store, agent, thread);
            if (problem.empty()) continue;
            if (fix) begin_anew(store, agent, thread);
            findings.push_back(
                {"agent '" + agent.name + "': thread " + std::to_string(thread.id) + ": " +
                     problem + (fix ? "; a new window was started, earlier messages are kept" : ""),
                 fix});
        }
    return findings;
}

}  // namespace chorus::context
