#include "agent/layout.hpp"

namespace chorus::agent {

std::string Home::database() const {
    return path_ + "/chorus.db";
}
std::string Home::config() const {
    return path_ + "/config.json";
}
std::string Home::credentials() const {
    return path_ + "/credentials.json";
}
std::string Home::available_models() const {
    return path_ + "/available_models.json";
}
std::string Home::presets() const {
    return path_ + "/presets";
}
std::string Home::template_directory() const {
    return path_ + "/template";
}
std::string Home::agents() const {
    return path_ + "/agents";
}
std::string Home::agent(std::string_view name) const {
    return agents() + "/" + std::string(name);
}
std::string Home::archive() const {
    return path_ + "/archive";
}
std::string Home::archive(std::string_view name, std::int64_t generation) const {
    return archive() + "/" + std::string(name) + "-" + std::to_string(generation);
}
std::string Home::archived_sessions(std::string_view name, std::int64_t generation) const {
    return archive(name, generation) + "/sessions";
}
std::string Home::certificates() const {
    return path_ + "/certificates";
}
std::string Home::locks() const {
    return path_ + "/locks";
}
std::string Home::gate() const {
    return locks() + "/database";
}
std::string Home::reserve() const {
    return locks() + "/reserve";
}
std::string Home::presence_lock() const {
    return locks() + "/presence";
}
std::string Home::audit_lock() const {
    return locks() + "/audit";
}
std::string Home::birth_lock() const {
    return locks() + "/birth";
}
std::string Home::sandbox_state() const {
    return locks() + "/sandbox";
}

std::string Home::agent_lock(std::int64_t agent_id) const {
    return locks() + "/agent-" + std::to_string(agent_id);
}

std::string Home::thread_lock(std::int64_t agent_id, std::int64_t thread_id) const {
    return agent_lock(agent_id) + "-thread-" + std::to_string(thread_id);
}

std::string Home::file_lock(std::int64_t agent_id) const {
    return agent_lock(agent_id) + "-files";
}

std::string Home::key_lock(std::int64_t agent_id) const {
    return agent_lock(agent_id) + "-keys";
}

std::string Home::branches_lock(std::int64_t agent_id) const {
    return agent_lock(agent_id) + "-branches";
}

std::string Home::configuration_lock() const {
    return locks() + "/configuration";
}
std::string Home::configuration_lock(std::int64_t agent_id) const {
    return agent_lock(agent_id) + "-configuration";
}

std::string Home::task_lock(std::int64_t agent_id) const {
    return agent_lock(agent_id) + "-tasks";
}

std::string Home::destroy_lock(std::int64_t agent_id) const {
    return agent_lock(agent_id) + "-destroy";
}

std::string Home::checkpoint_lock(std::int64_t agent_id) const {
    return agent_lock(agent_id) + "-checkpoints";
}

std::string Home::channel_lock(std::int64_t agent_id) const {
    return agent_lock(agent_id) + "-channel";
}

std::string Directory::configuration() const {
    return path_ + "/agent.json";
}
std::string Directory::docs() const {
    return path_ + "/docs";
}
std::string Directory::sessions() const {
    return path_ + "/sessions";
}
std::string Directory::workspace() const {
    return path_ + "/workspace";
}
std::string Directory::artifacts() const {
    return path_ + "/artifacts";
}
std::string Directory::commands() const {
    return path_ + "/commands";
}
std::string Directory::call_plants(std::int64_t thread_id) const {
    return commands() + "/plants-" + std::to_string(thread_id);
}
std::string Directory::checkpoints() const {
    return path_ + "/.checkpoints";
}
std::vector<std::string> Directory::written() const {
    return {path_, sessions(), artifacts(), commands(), checkpoints(), checkpoints() + "/trees"};
}
std::string Directory::tasks() const {
    return path_ + "/tasks";
}
std::string Directory::task(std::string_view id) const {
    return tasks() + "/" + std::string(id);
}
std::string Directory::task_out(std::string_view id) const {
    return task(id) + "/out.log";
}
std::string Directory::task_err(std::string_view id) const {
    return task(id) + "/err.log";
}
std::string Directory::task_plants(std::string_view id) const {
    return task(id) + "/plants";
}
std::string Directory::branches() const {
    return path_ + "/branches";
}
std::string Directory::branch(std::string_view name) const {
    return branches() + "/" + std::string(name);
}
std::string Directory::branch_metadata(std::string_view name) const {
    return branch(name) + "/branch-metadata.yml";
}
std::string Directory::branch_agents(std::string_view name) const {
    return branch(name) + "/agents";
}
std::string Directory::current() const {
    return path_ + "/current";
}

std::string Directory::transcript(std::string_view branch_name, std::int64_t thread_id,
                                  bool own_branch) const {
    const std::string file =
        own_branch ? "session.md" : "session-t" + std::to_string(thread_id) + ".md";
    return branch(branch_name) + "/" + file;
}

}  // namespace chorus::agent
