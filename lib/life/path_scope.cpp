#include "life/path_scope.hpp"

#include <algorithm>

#include "agent/preset.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "chat/json_text.hpp"
#include "life/children.hpp"
#include "sys/beneath.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/lock.hpp"

namespace chorus::life {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::int64_t edit_lock_ms = 5'000;

std::string place_of(const agent::Home& home, const store::Agent& agent) {
    return agent.place.empty() ? home.directory(agent.dir).workspace() : agent.place;
}

// The sub-agent and those above it, in the order of path_rules_of().
std::vector<std::string> holders_of(store::Store& store, const store::Agent& agent) {
    std::vector<std::string> names{agent.name};
    for (const store::Agent& above : ancestors_of(store, agent))
        if (above.parent_id != 0) names.push_back(above.name);
    return names;
}

std::vector<std::string>& list_of(agent::PathLists& paths, PathList list) {
    if (list == PathList::deny) return paths.deny;
    auto& globs = list == PathList::read ? paths.read : paths.write;
    if (!globs) globs.emplace();
    return *globs;
}

bool remove(std::vector<std::string>& globs, const std::string& glob) {
    return std::erase(globs, glob) > 0;
}

bool add(std::vector<std::string>& globs, const std::string& glob) {
    if (std::find(globs.begin(), globs.end(), glob) != globs.end()) return false;
    globs.push_back(glob);
    return true;
}

// Replaces the time in the line `updated: "…"`.
std::string with_updated(const std::string& text, base::TimeMs now) {
    std::string changed;
    for (const std::string_view line : base::split_lines(text))
        changed += (line.starts_with("updated:") ? "updated: " + chat::quoted(base::iso8601(now))
                                                 : std::string(line)) +
                   "\n";
    return changed;
}

}  // namespace

void require_scope(store::Store& store, const store::Agent& agent) {
    if (agent.parent_id != 0) return;
    const std::vector<SubAgent> below = sub_agents_of(store, agent);
    throw Error(ErrorCode::bad_request,
                "agent '" + agent.name + "': only sub-agents have paths of their own",
                below.empty() ? "chorus-run " + agent.name + " --spawn PRESET begins one"
                              : "chorus-context scope " + below.back().agent.name + " show");
}

std::vector<ScopeRule> scope_of(const agent::Home& home, store::Store& store,
                                const store::Agent& agent) {
    const std::vector<std::string> holders = holders_of(store, agent);
    const auto rules = path_rules_of(home, store, agent, place_of(home, agent));
    std::vector<ScopeRule> all;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        for (const std::string& glob : *rules[i].read)
            all.push_back({PathList::read, glob, holders[i]});
        for (const std::string& glob : *rules[i].write)
            all.push_back({PathList::write, glob, holders[i]});
        for (const std::string& glob : rules[i].deny)
            all.push_back({PathList::deny, glob, holders[i]});
    }
    return all;
}

bool widen_scope(const agent::Home& home, store::Store& store, const store::Agent& agent,
                 PathList list, const std::string& glob, const Decider& decider) {
    if (const std::string problem = sys::glob_problem(glob); !problem.empty())
        throw Error(ErrorCode::bad_request, "glob " + base::quoted(glob) + ": " + problem,
                    "globs are those of chorus-preset(5): src, src/**, **/*.md");
    sys::PathRules usual;
    usual.deny = sys::usual_denials();
    if (list != PathList::deny && !usual.why_not_read(glob + "/x").empty())
        throw Error(ErrorCode::bad_request,
                    "glob " + base::quoted(glob) + ": it is denied to every sub-agent",
                    "copy what the sub-agent needs to another place");
    const auto lock = sys::Lock::acquire(home.configuration_lock(agent.id),
                                         sys::Lock::Mode::exclusive, edit_lock_ms);
    if (!lock)
        throw Error(ErrorCode::agent_busy,
                    "sub-agent '" + agent.name + "': another process changes its configuration",
                    "try again in a moment");
    const agent::Directory directory = home.directory(agent.dir);
    const std::string path = directory.configuration();
    const std::string text = agent::preset_text(path);
    agent::PathLists paths = agent::parse_preset(text, path).paths;
    bool is_changed = list != PathList::deny && remove(paths.deny, glob);
    is_changed = add(list_of(paths, list), glob) || is_changed;
    if (!is_changed) return false;
    const std::string changed = agent::with_paths(text, paths, path);
    const base::TimeMs now = sys::now_ms();
    store::Transaction transaction(store);
    append_decision(store, agent, decider,
                    "agent:scope:" + std::string(path_lists.name(list)) + " " + glob,
                    "ask_approved", "");
    sys::write_file(path, changed);
    if (const auto metadata = sys::try_read_file(directory.metadata(), base::limits::config_bytes))
        sys::write_file(directory.metadata(), with_updated(*metadata, now));
    transaction.commit();
    return true;
}

PathAccess access_of(const agent::Home& home, store::Store& store, const store::Agent& agent,
                     const std::string& path) {
    const std::string place = place_of(home, agent);
    const sys::Root root(place);
    PathAccess access;
    const sys::Opened opened = root.open_to_read(path);
    access.path =
        opened.outcome == sys::OpenOutcome::opened ? root.location(opened) : root.canonical(path);
    if (access.path.empty() || opened.outcome == sys::OpenOutcome::outside) {
        access.path.clear();
        access.read = access.write = {"leads out of " + place, ""};
        return access;
    }
    const std::vector<std::string> holders = holders_of(store, agent);
    const auto rules = path_rules_of(home, store, agent, place);
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if (access.read.why.empty()) access.read = {rules[i].why_not_read(access.path), holders[i]};
        if (access.write.why.empty())
            access.write = {rules[i].why_not_written(access.path), holders[i]};
    }
    return access;
}

}  // namespace chorus::life
