#include "life/death.hpp"

#include <array>
#include <optional>

#include "base/error.hpp"
#include "life/adoption.hpp"
#include "life/find_agent.hpp"
#include "life/leftovers.hpp"
#include "life/trust.hpp"
#include "store/records.hpp"
#include "store/sessions.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"

namespace chorus::life {
namespace {

using agent::Home;
using base::Error;
using base::ErrorCode;
using store::AgentStatus;

std::string sessions_in_place(const Home& home, const store::Agent& agent) {
    return agent::Directory(home.agent(agent.name)).sessions();
}

std::string archived_sessions(const Home& home, const store::Agent& agent) {
    return home.archived_sessions(agent.name, agent.generation);
}

void refuse_link(const std::string& path) {
    if (sys::is_link(path))
        throw Error(ErrorCode::bad_request, path + ": a link, not a part of an agent",
                    "replace the link by its target, or remove it");
}

void require_writable(const std::string& directory) {
    if (const std::string why = sys::why_not_writable(directory); !why.empty())
        throw Error(ErrorCode::failed, directory + ": " + why);
}

// Renames the directory if the target does not exist, so that all files move or none.
void move_sessions(const std::string& from, const std::string& to) {
    if (!sys::is_directory(from)) return;
    sys::remove_temporaries(from);
    const auto names = sys::list_directory(from);
    if (names.empty()) return;
    if (!sys::exists(to)) {
        sys::rename_path(from, to);
        return;
    }
    for (const std::string& name : names)
        if (!sys::rename_if_free(from + "/" + name, to + "/" + name))
            throw Error(ErrorCode::exists, to + "/" + name + ": already exists", "move it away");
}

void archive_sessions(const Home& home, const store::Agent& agent) {
    const std::string from = sessions_in_place(home, agent);
    if (!sys::is_directory(from) || sys::list_directory(from).empty()) return;
    sys::make_directory(home.archive(agent.name, agent.generation));
    sys::sync_directory(home.archive());
    sys::sync_directory(home.path());
    move_sessions(from, archived_sessions(home, agent));
}

void bring_sessions_back(const Home& home, const store::Agent& agent) {
    const std::string archive = home.archive(agent.name, agent.generation);
    if (!sys::exists(archive) || !sys::exists(home.agent(agent.name))) return;
    move_sessions(archived_sessions(home, agent), sessions_in_place(home, agent));
    sys::remove_tree(archive);
}

// Returns the file's name if it belongs to this agent; it may also belong to an earlier agent of
// the same name.
std::optional<std::string> own_file(const Home& home, const store::Agent& agent,
                                    const std::string& file_path) {
    const std::string path = home.path() + "/" + file_path;
    for (const std::string& directory :
         {sessions_in_place(home, agent), archived_sessions(home, agent)})
        if (path.starts_with(directory + "/")) return path.substr(directory.size() + 1);
    return std::nullopt;
}

// Returns the path relative to the home; "" if the file is gone.
std::string place_of(const Home& home, const store::Agent& agent, const std::string& file,
                     Files files) {
    if (files == Files::purged) return {};
    for (const std::string& directory :
         {archived_sessions(home, agent), sessions_in_place(home, agent)})
        if (sys::exists(directory + "/" + file))
            return (directory + "/" + file).substr(home.path().size() + 1);
    return {};
}

std::size_t point_rows(const Home& home, store::Store& store, const store::Agent& agent,
                       Files files) {
    std::size_t left = 0;
    for (const store::Agent& namesake : store::list_generations(store, agent.name))
        for (const store::Session& row : store::list_sessions(store, namesake.id)) {
            const auto file = own_file(home, agent, row.file_path);
            if (!file) continue;
            const std::string path = place_of(home, agent, *file, files);
            if (path.empty())
                store::forget_session_file(store, row.agent_id, row.id);
            else if (path != row.file_path)
                store::set_session_file(store, row.agent_id, row.id, path);
            left += !path.empty() && namesake.id == agent.id ? 1 : 0;
        }
    return left;
}

void insert_event(store::Store& store, const store::Agent& agent, AgentStatus next, Files files) {
    store::insert_event(store, {.agent_id = agent.id,
                                .thread_id = 0,
                                .turn_id = 0,
                                .at = sys::now_ms(),
                                .kind = "agent",
                                .previous = std::string(store::name(agent.status)),
                                .next = std::string(store::name(next)),
                                .cause = "destroy",
                                .data = "files " + std::string(name(files))});
}

}  // namespace

std::string_view name(Files files) {
    constexpr std::array<std::string_view, 3> names{"archived", "kept", "purged"};
    return names[static_cast<std::size_t>(files)];
}

void check_removable(const Home& home, const store::Agent& agent, Files files) {
    const std::string directory = home.agent(agent.name);
    if (home.path() + "/" + agent.dir != directory)
        throw Error(ErrorCode::failed,
                    "agent '" + agent.name + "': its directory is not " + directory);
    refuse_link(directory);
    if (!sys::exists(directory)) return;
    refuse_link(sessions_in_place(home, agent));
    require_writable(directory);
    if (files != Files::kept) require_writable(home.agents());
}

std::vector<store::Agent> family_of(store::Store& store, const store::Agent& agent) {
    std::vector<store::Agent> family{agent};
    for (std::size_t i = 0; i < family.size(); ++i)
        for (store::Agent& child : store::list_children(store, family[i].id))
            family.push_back(std::move(child));
    return family;
}

void begin_destroying(store::Store& store, const std::vector<store::Agent>& family, Files files,
                      const Decider& decider) {
    store::Transaction transaction(store);
    for (const store::Agent& member : family) {
        if (member.status == AgentStatus::destroying) continue;
        store::set_agent_status(store, member.id, AgentStatus::destroying);
        insert_event(store, member, AgentStatus::destroying, files);
    }
    const store::Agent& agent = family.front();
    store::append_audit(store, {.agent_id = agent.id,
                                .agent_name = agent.name,
                                .timestamp = sys::now_ms(),
                                .turn_id = 0,
                                .action = "agent:destroy",
                                .decision = "allow",
                                .user_id = decider.user_id,
                                .actor = decider.actor,
                                .detail = "files " + std::string(name(files))});
    transaction.commit();
}

void place_sessions(const Home& home, const store::Agent& agent, Files files) {
    refuse_link(sessions_in_place(home, agent));
    if (files == Files::archived) archive_sessions(home, agent);
    if (files == Files::kept) bring_sessions_back(home, agent);
    if (files == Files::purged) sys::remove_tree(home.archive(agent.name, agent.generation));
}

std::string take_away(const Home& home, const store::Agent& agent) {
    const std::string from = home.agent(agent.name);
    if (!sys::exists(from)) return {};
    refuse_link(from);
    std::string to = temporary_directory(home, agent.name);
    sys::rename_path(from, to);
    return to;
}

std::size_t finish_destroying(const Home& home, store::Store& store,
                              const std::vector<store::Agent>& family, Files files) {
    store::Transaction transaction(store);
    const std::size_t sessions = point_rows(home, store, family.front(), files);
    for (store::Agent member : family) {
        member.status = AgentStatus::destroying;
        insert_event(store, member, AgentStatus::destroyed, files);
        store::mark_destroyed(store, member.id, sys::now_ms(), files == Files::kept);
        if (files == Files::kept)
            note_kept(store, member.id,
                      git_state(agent::Directory(home.path() + "/" + member.dir).workspace()));
    }
    transaction.commit();
    return sessions;
}

}  // namespace chorus::life
