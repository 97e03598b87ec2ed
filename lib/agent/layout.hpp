// All file names of a home (chorus-home(5)).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::agent {

class Home {
  public:
    explicit Home(std::string path) : path_(std::move(path)) {}
    const std::string& path() const { return path_; }
    std::string database() const;          // chorus.db
    std::string config() const;            // config.json
    std::string credentials() const;       // credentials.json
    std::string available_models() const;  // available_models.json
    std::string presets() const;
    std::string template_directory() const;          // template/, may be missing
    std::string agents() const;                      // agents/
    std::string agent(std::string_view name) const;  // agents/<name>
    std::string archive() const;
    // archive/<name>-<generation> of a destroyed agent; its sessions/.
    std::string archive(std::string_view name, std::int64_t generation) const;
    std::string archived_sessions(std::string_view name, std::int64_t generation) const;
    std::string certificates() const;  // net/hashed_copy.hpp
    std::string locks() const;
    std::string gate() const;           // locks/database
    std::string reserve() const;        // locks/reserve: life/reserve.hpp
    std::string presence_lock() const;  // shared while a process has the database open
    std::string agent_lock(std::int64_t agent_id) const;
    std::string thread_lock(std::int64_t agent_id, std::int64_t thread_id) const;
    std::string file_lock(std::int64_t agent_id) const;
    // A turn with an idempotency key locks the byte of this file that the key's hash selects.
    std::string key_lock(std::int64_t agent_id) const;
    std::string configuration_lock(std::int64_t agent_id) const;
    std::string branches_lock(std::int64_t agent_id) const;  // held while a branch is put in place
    std::string checkpoint_lock(std::int64_t agent_id) const;
    std::string channel_lock(std::int64_t agent_id) const;  // held while something is posted
    // The supervisor of task N holds byte N while it lives.
    std::string task_lock(std::int64_t agent_id) const;
    std::string destroy_lock(std::int64_t agent_id) const;  // held throughout its destruction
    std::string configuration_lock() const;                 // of config.json
    std::string audit_lock() const;                         // held while rows go to audit_sink
    std::string birth_lock() const;                         // held while an agent is put in place
    std::string sandbox_state() const;  // locks/sandbox: the self-test's verdict

  private:
    std::string path_;
};

// An agent's directory, absolute.
class Directory {
  public:
    explicit Directory(std::string path) : path_(std::move(path)) {}
    const std::string& path() const { return path_; }
    std::string configuration() const;  // agent.json
    std::string docs() const;
    std::string sessions() const;
    std::string workspace() const;
    std::string artifacts() const;
    std::string commands() const;  // files of commands outside the workspace, mainly caches
    // Lists what was in the workspace before a call of that thread (task/kept_plants.hpp).
    std::string call_plants(std::int64_t thread_id) const;
    std::string checkpoints() const;  // .checkpoints: agent/snapshots.hpp
    // All directories in which write_file() puts files in place.
    std::vector<std::string> written() const;
    std::string tasks() const;
    std::string task(std::string_view id) const;      // tasks/<id>
    std::string task_out(std::string_view id) const;  // its out.log
    std::string task_err(std::string_view id) const;  // its err.log
    // Lists what was in the workspace when the task began (sys/plants.hpp).
    std::string task_plants(std::string_view id) const;
    std::string branches() const;
    std::string branch(std::string_view name) const;           // branches/<name>
    std::string branch_metadata(std::string_view name) const;  // its branch-metadata.yml
    std::string branch_agents(std::string_view name) const;    // its agents/: sub-agents
    // session.md of the branch; session-tN.md for a thread without its own branch.
    std::string transcript(std::string_view branch_name, std::int64_t thread_id,
                           bool own_branch) const;
    std::string current() const;  // the link

  private:
    std::string path_;
};

}  // namespace chorus::agent
