// All file names of a home (chorus-home(5)).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::agent {

constexpr const char* cloned_from_key = "cloned_from";  // of the metadata
// The value that names the workspace of the agent's own directory, which may be moved and copied.
constexpr const char* own_workspace = "workspace";

// The directory of an agent, or of a sub-agent inside it, absolute.
class Directory {
  public:
    explicit Directory(std::string path) : path_(std::move(path)) {}
    // Makes that of a sub-agent, which works where what is above it works, up to `top`, and has no
    // branches.
    Directory(std::string path, std::string top) : path_(std::move(path)), top_(std::move(top)) {}
    const std::string& path() const { return path_; }
    bool is_of_sub_agent() const { return !top_.empty(); }
    std::string configuration() const { return path_ + "/" + file(); }
    // The name of that file.
    const char* file() const { return is_of_sub_agent() ? "preset.md" : "agent.json"; }
    // These return a sub-agent's files: what it is, and the log of its calls.
    std::string metadata() const { return path_ + "/scope-plan.yml"; }
    std::string tool_log() const { return path_ + "/tools.org"; }
    std::string docs() const { return path_ + "/docs"; }
    std::string sessions() const { return path_ + "/sessions"; }
    std::string workspace() const;
    // Returns the workspace of the agent at the top, whoever works there.
    std::string top_workspace() const;
    // The clone that an isolated sub-agent works in.
    std::string work() const { return path_ + "/work"; }
    // Returns the workspace that it is of, which the metadata names; "" if this is not the
    // directory of an isolated sub-agent.
    std::string cloned_from() const;
    bool is_isolated() const { return !cloned_from().empty(); }
    // Whether it, or a sub-agent above it, is isolated.
    bool is_in_clone() const { return is_of_sub_agent() && workspace() != top_workspace(); }
    std::string artifacts() const { return path_ + "/artifacts"; }
    // Files of commands outside the workspace, mainly caches.
    std::string commands() const { return path_ + "/commands"; }
    // Lists what was in the workspace before a call of that thread (task/kept_plants.hpp).
    std::string call_plants(std::int64_t thread_id) const {
        return commands() + "/plants-" + std::to_string(thread_id);
    }
    // See agent/snapshots.hpp.
    std::string checkpoints() const { return path_ + "/.checkpoints"; }
    // All directories in which write_file() puts files in place.
    std::vector<std::string> written() const {
        return {path_,      sessions(),    artifacts(),
                commands(), checkpoints(), checkpoints() + "/trees"};
    }
    std::string tasks() const { return path_ + "/tasks"; }
    std::string task(std::string_view id) const { return tasks() + "/" + std::string(id); }
    std::string task_out(std::string_view id) const { return task(id) + "/out.log"; }
    std::string task_err(std::string_view id) const { return task(id) + "/err.log"; }
    // Lists what was in the workspace when the task began (sys/plants.hpp).
    std::string task_plants(std::string_view id) const { return task(id) + "/plants"; }
    std::string branches() const { return path_ + "/branches"; }
    std::string branch(std::string_view name) const {
        // a sub-agent's only one has no directory of its own
        if (is_of_sub_agent() && name == "main") return path_;
        return branches() + "/" + std::string(name);
    }
    std::string branch_metadata(std::string_view name) const {
        return branch(name) + "/branch-metadata.yml";
    }
    // Returns the directory of the branch's sub-agents.
    std::string branch_agents(std::string_view name) const { return branch(name) + "/agents"; }
    // session.md of the branch; session-tN.md for a thread without its own branch.
    std::string transcript(std::string_view branch_name, std::int64_t thread_id,
                           bool own_branch) const {
        const std::string file =
            own_branch ? "session.md" : "session-t" + std::to_string(thread_id) + ".md";
        return branch(branch_name) + "/" + file;
    }
    // The link to the current branch.
    std::string current() const { return path_ + "/current"; }

  private:
    std::string path_;
    std::string top_;
};

// Returns the branch that `current` names, "main" if there is no such link.
std::string current_branch(const Directory& directory);

class Home {
  public:
    explicit Home(std::string path) : path_(std::move(path)) {}
    const std::string& path() const { return path_; }
    std::string database() const { return path_ + "/chorus.db"; }
    std::string config() const { return path_ + "/config.json"; }
    std::string credentials() const { return path_ + "/credentials.json"; }
    std::string available_models() const { return path_ + "/available_models.json"; }
    std::string models() const { return path_ + "/models.json"; }
    std::string presets() const { return path_ + "/presets"; }
    // May be missing.
    std::string template_directory() const { return path_ + "/template"; }
    std::string agents() const { return path_ + "/agents"; }
    std::string agent(std::string_view name) const { return agents() + "/" + std::string(name); }
    // Returns the directory that the row of an agent names.
    Directory directory(const std::string& dir) const {
        const std::size_t end = dir.find('/', dir.find('/') + 1);  // of agents/NAME
        if (end == std::string::npos) return Directory(path_ + "/" + dir);
        return {path_ + "/" + dir, path_ + "/" + dir.substr(0, end)};
    }
    std::string archive() const { return path_ + "/archive"; }
    // Returns where the files of a destroyed agent are kept.
    std::string archive(std::string_view name, std::int64_t generation) const {
        return archive() + "/" + std::string(name) + "-" + std::to_string(generation);
    }
    std::string archived_sessions(std::string_view name, std::int64_t generation) const {
        return archive(name, generation) + "/sessions";
    }
    // See net/hashed_copy.hpp.
    std::string certificates() const { return path_ + "/certificates"; }
    std::string locks() const { return path_ + "/locks"; }
    std::string gate() const { return locks() + "/database"; }
    // See life/reserve.hpp.
    std::string reserve() const { return locks() + "/reserve"; }
    // Shared while a process has the database open.
    std::string presence_lock() const { return locks() + "/presence"; }
    std::string agent_lock(std::int64_t agent_id) const {
        return locks() + "/agent-" + std::to_string(agent_id);
    }
    std::string thread_lock(std::int64_t agent_id, std::int64_t thread_id) const {
        return agent_lock(agent_id) + "-thread-" + std::to_string(thread_id);
    }
    std::string file_lock(std::int64_t agent_id) const { return agent_lock(agent_id) + "-files"; }
    // A turn with an idempotency key locks the byte of this file that the key's hash selects.
    std::string key_lock(std::int64_t agent_id) const { return agent_lock(agent_id) + "-keys"; }
    std::string configuration_lock(std::int64_t agent_id) const {
        return agent_lock(agent_id) + "-configuration";
    }
    // Held while a branch is put in place.
    std::string branches_lock(std::int64_t agent_id) const {
        return agent_lock(agent_id) + "-branches";
    }
    std::string checkpoint_lock(std::int64_t agent_id) const {
        return agent_lock(agent_id) + "-checkpoints";
    }
    // Held while something is posted.
    std::string channel_lock(std::int64_t agent_id) const {
        return agent_lock(agent_id) + "-channel";
    }
    // The supervisor of task N holds byte N while it lives.
    std::string task_lock(std::int64_t agent_id) const { return agent_lock(agent_id) + "-tasks"; }
    // Held throughout its destruction.
    std::string destroy_lock(std::int64_t agent_id) const {
        return agent_lock(agent_id) + "-destroy";
    }
    // Returns the lock that a change of config.json holds.
    std::string configuration_lock() const { return locks() + "/configuration"; }
    // Held while rows go to audit_sink.
    std::string audit_lock() const { return locks() + "/audit"; }
    // Held while an agent is put in place.
    std::string birth_lock() const { return locks() + "/birth"; }
    // The self-test's verdict.
    std::string sandbox_state() const { return locks() + "/sandbox"; }

  private:
    std::string path_;
};

}  // namespace chorus::agent
