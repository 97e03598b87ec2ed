#include "life/death.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/enum_names.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/limits.hpp"
#include "life/adoption.hpp"
#include "life/child_adoption.hpp"
#include "life/leftovers.hpp"
#include "life/trust.hpp"
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
    return home.directory(agent.dir).sessions();
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
    if (!sys::exists(archive) || !sys::exists(home.directory(agent.dir).path())) return;
    move_sessions(archived_sessions(home, agent), sessions_in_place(home, agent));
    sys::remove_tree(archive);
}

// Returns the path of the session's file relative to the home, "" if it is gone; nothing if the
// file belongs to an earlier agent of the same name.
std::optional<std::string> place_of(const Home& home, const store::Agent& agent,
                                    const std::string& file_path, Files files) {
    const std::string path = home.path() + "/" + file_path;
    const std::string name = path.substr(path.rfind('/'));
    const std::array places{archived_sessions(home, agent) + name,
                            sessions_in_place(home, agent) + name};
    if (std::find(places.begin(), places.end(), path) == places.end()) return std::nullopt;
    for (const std::string& place : places)
        if (files != Files::purged && sys::exists(place))
            return place.substr(home.path().size() + 1);
    return "";
}

std::size_t point_rows(const Home& home, store::Store& store, const store::Agent& agent,
                       Files files) {
    std::size_t left = 0;
    for (const store::Agent& namesake : store::list_generations(store, agent.name))
        for (const store::Session& row : store::list_sessions(store, namesake.id)) {
            const auto path = place_of(home, agent, row.file_path, files);
            if (!path) continue;
            if (path->empty())
                store::forget_session_file(store, row.agent_id, row.id);
            else if (*path != row.file_path)
                store::set_session_file(store, row.agent_id, row.id, *path);
            left += !path->empty() && namesake.id == agent.id ? 1 : 0;
        }
    return left;
}

// Its sessions are in its directory, as are those of sub-agents that were there before, and go or
// stay with it.
void end_files_of_child(const Home& home, store::Store& store, const store::Agent& child,
                        const std::vector<store::Agent>& all, Files files) {
    if (files != Files::kept) {
        for (const store::Agent& one : all)
            if (one.dir == child.dir)
                for (const store::Session& row : store::list_sessions(store, one.id))
                    store::forget_session_file(store, one.id, row.id);
        return;
    }
    const agent::Directory directory = home.directory(child.dir);
    const auto text = sys::try_read_file(directory.configuration(), base::limits::config_bytes);
    // what an isolated one may write is meant for its clone
    if (text && has_trusted_preset(store, child) && !directory.is_isolated())
        note_kept_preset(store, child.id, base::sha256_hex(*text));
}

std::string data_of(Files files) {
    return "files " + std::string(name(files));
}

}  // namespace

std::string_view name(Files files) {
    constexpr base::EnumNames<Files, 3> names{{"archived", "kept", "purged"}};
    return names.name(files);
}

void check_removable(const Home& home, const store::Agent& agent, Files files) {
    const std::string directory = home.path() + "/" + agent.dir;
    if (agent.parent_id == 0 && directory != home.agent(agent.name))
        throw Error(ErrorCode::failed,
                    "agent '" + agent.name + "': its directory is not " + home.agent(agent.name));
    refuse_link(directory);
    if (!sys::exists(directory)) return;
    // what a sub-agent's directory is in may have been replaced
    const std::size_t top = agent.dir.find('/', agent.dir.find('/') + 1);
    if (top != std::string::npos) refuse_link(home.path() + "/" + agent.dir.substr(0, top));
    if (top != std::string::npos &&
        sys::real_path(directory) !=
            sys::real_path(home.path() + "/" + agent.dir.substr(0, top)) + agent.dir.substr(top))
        throw Error(ErrorCode::bad_request, directory + ": a link leads to it",
                    "replace the link by its target, or remove it");
    refuse_link(sessions_in_place(home, agent));
    require_writable(directory);
    if (files == Files::kept) return;
    require_writable(home.agents());
    if (agent.parent_id != 0) require_writable(directory.substr(0, directory.rfind('/')));
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
        note_status(store, member, AgentStatus::destroying, "destroy", data_of(files));
    }
    append_decision(store, family.front(), decider, "agent:destroy", "allow", data_of(files));
    transaction.commit();
}

void place_sessions(const Home& home, const store::Agent& agent, Files files) {
    refuse_link(sessions_in_place(home, agent));
    if (files == Files::archived) archive_sessions(home, agent);
    if (files == Files::kept) bring_sessions_back(home, agent);
    if (files == Files::purged) sys::remove_tree(home.archive(agent.name, agent.generation));
}

std::string take_away(const Home& home, const store::Agent& agent) {
    const std::string from = home.path() + "/" + agent.dir;
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
    const std::vector<store::Agent> all = store::all_agents(store);
    for (store::Agent member : family) {
        member.status = AgentStatus::destroying;
        note_status(store, member, AgentStatus::destroyed, "destroy", data_of(files));
        store::mark_destroyed(store, member.id, sys::now_ms(), files == Files::kept);
        if (member.parent_id != 0) end_files_of_child(home, store, member, all, files);
        if (files == Files::kept && member.parent_id == 0)
            note_kept(store, member.id, git_state(home.directory(member.dir).workspace()));
    }
    transaction.commit();
    return sessions;
}

}  // namespace chorus::life
