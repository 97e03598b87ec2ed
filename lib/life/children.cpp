#include "life/children.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/id.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "life/child_files.hpp"
#include "life/leftovers.hpp"
#include "repo/repository.hpp"
#include "store/imports.hpp"
#include "store/threads.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/git_place.hpp"
#include "sys/scaffold.hpp"

namespace chorus::life {
namespace {

using agent::Directory;
using agent::Home;
using base::Error;
using base::ErrorCode;

constexpr std::size_t slug_bytes = 40;
constexpr std::size_t description_bytes = 1'000;
constexpr std::int64_t spawn_lock_ms = 30'000;

void check_description(const std::string& description) {
    if (description.size() <= description_bytes) return;
    throw Error(ErrorCode::bad_request,
                "description: longer than " + std::to_string(description_bytes) + " bytes",
                "a few words are enough; the prompt says the rest");
}

void check_globs(const char* what, const std::vector<std::string>& globs) {
    for (const std::string& glob : globs) {
        std::string why = sys::glob_problem(glob);
        if (glob.size() > description_bytes) why = "is too long";
        if (!why.empty())
            throw Error(ErrorCode::bad_request,
                        std::string(what) + ": " + base::quoted(glob) + " " + why,
                        "globs are relative to the directory where it works: src/**");
    }
}

void add_missing(std::vector<std::string>& globs, const std::vector<std::string>& more) {
    for (const std::string& glob : more)
        if (std::find(globs.begin(), globs.end(), glob) == globs.end()) globs.push_back(glob);
}

std::vector<std::string> read_list_of(const Home& home, const store::Agent& agent) {
    const Directory directory = home.directory(agent.dir);
    const std::vector<std::string> all{"**"};
    if (!directory.is_of_sub_agent()) return all;
    return agent::load_preset(directory.configuration()).paths.read.value_or(all);
}

agent::PathLists paths_of(const Home& home, const store::Agent& parent, const agent::Preset& preset,
                          const SpawnOptions& options, bool is_isolated) {
    agent::PathLists paths = preset.paths;
    if (paths.read && options.allowed_paths)
        throw Error(ErrorCode::bad_request,
                    "preset '" + options.preset + "': it sets paths.read itself",
                    "leave allowed paths out");
    if (!paths.read)
        paths.read = options.allowed_paths ? options.allowed_paths : read_list_of(home, parent);
    if (paths.read->empty() && options.allowed_paths) paths.read = {{"**"}};
    if (!paths.write) paths.write = {{"/tmp/**"}};
    if (is_isolated && !preset.paths.write) paths.write->insert(paths.write->begin(), "**");
    std::vector<std::string> denied = sys::usual_denials();
    add_missing(denied, paths.deny);
    add_missing(denied, options.denied_paths);
    paths.deny = std::move(denied);
    return paths;
}

// A plan holds what a sub-agent is made of.
struct SpawnPlan {
    std::string preset_text;
    agent::Preset preset;
    std::string cloned_from;  // "": it works where its parent works
    store::Agent row;
    std::string directory;  // of the parent's sub-agents, relative to the home
};

std::string name_at(const SpawnOptions& options, base::TimeMs now) {
    const std::string slug = base::slug(options.description, slug_bytes);
    return options.preset + "-" + base::compact_utc(now) + "-" + (slug.empty() ? "task" : slug);
}

SpawnPlan plan_spawn(const Home& home, store::Store& store, const store::Agent& parent,
                     const SpawnOptions& options) {
    check_description(options.description);
    check_globs("allowed paths", options.allowed_paths.value_or(std::vector<std::string>()));
    check_globs("denied paths", options.denied_paths);
    check_depth(ancestors_of(store, parent).size() + 1, parent);
    const std::string path = agent::require_preset(home, options.preset);
    SpawnPlan plan;
    const std::string text = agent::preset_text(path);
    plan.preset = agent::parse_preset(text, path);
    const bool is_isolated = plan.preset.isolate || options.isolate;
    if (is_isolated && home.directory(parent.dir).is_in_clone())
        throw Error(ErrorCode::bad_request,
                    "isolate: sub-agent '" + parent.name + "' works in a clone itself",
                    "without isolate, its sub-agents work in that clone too");
    if (is_isolated)
        plan.cloned_from = options.place.empty() ? workplace_of(home, parent) : options.place;
    plan.preset_text =
        agent::with_paths(text, paths_of(home, parent, plan.preset, options, is_isolated), path);
    const Directory directory = home.directory(parent.dir);
    const std::string agents = directory.branch_agents(agent::current_branch(directory));
    plan.directory = agents.substr(home.path().size() + 1);
    plan.row.kind = "child";
    plan.row.parent_id = parent.id;
    plan.row.preset = options.preset;
    plan.row.description = options.description;
    plan.row.model = plan.preset.model;
    plan.row.permissions = plan.preset.permissions ? plan.preset.permissions->name : "";
    plan.row.place = is_isolated ? "" : options.place;
    plan.row.rights = options.rights;
    plan.row.parent_turn = options.parent_turn;
    plan.row.parent_call = options.parent_call;
    return plan;
}

// Gives the row a name that no sub-agent of the home has, with -2 and so on for the same second.
void take_name(const Home& home, store::Store& store, SpawnPlan& plan, const SpawnOptions& options,
               base::TimeMs now) {
    const std::string name = name_at(options, now);
    plan.row.name = name;
    const auto is_taken = [&](const std::string& wanted) {
        return sys::exists(home.path() + "/" + plan.directory + "/" + wanted) ||
               !store::list_children_named(store, wanted).empty() ||
               store::find_agent(store, wanted);
    };
    for (int n = 2; is_taken(plan.row.name); ++n) plan.row.name = name + "-" + std::to_string(n);
    plan.row.dir = plan.directory + "/" + plan.row.name;
    plan.row.created_at = plan.row.last_clear_time = plan.row.last_activity = now;
}

// Refuses a repository that chorus-git cannot clone.
void check_clonable(const std::string& source) {
    const auto refuse = [&](const std::string& why, const std::string& hint) {
        throw Error(ErrorCode::bad_request, "isolate: " + source + ": " + why, hint);
    };
    const std::string common = sys::find_git(source).common_directory;
    for (std::string above = source; common.empty() && above.size() > 1;) {
        above.resize(std::max<std::size_t>(above.rfind('/'), 1));
        if (sys::exists(above + "/.git")) refuse("is a directory of " + above, "use -C " + above);
    }
    if (repo::head_of(source).commit.empty())
        refuse("there is no commit to clone", "git_init, or git init and a first commit, make one");
    if (sys::exists(common + "/shallow"))
        refuse("is a shallow clone", "git -C " + source + " fetch --unshallow");
    if (sys::exists(common + "/objects/info/alternates"))
        refuse("its objects are in another repository",
               "git -C " + source + " repack -ad, and remove objects/info/alternates");
}

// The clone has HEAD alone: this refuses a workspace with uncommitted changes.
void clone_into(const std::string& path, const std::string& source, const store::Agent& parent) {
    check_clonable(source);
    const auto repository = repo::Repository::open(source);
    if (!repository) throw Error(ErrorCode::bad_request, "isolate: no repository in " + source);
    const std::string branches = repository->branches();
    if (("\n" + branches).find("  agents\n") != std::string::npos)
        throw Error(ErrorCode::bad_request,
                    "isolate: the branch 'agents' leaves no room for agents/ID",
                    "git -C " + source + " branch -m agents OTHER");
    const std::string status = repository->status();
    for (const std::string_view line : base::split_lines(status))
        if (line.starts_with('#'))
            throw Error(ErrorCode::bad_request, "isolate: " + std::string(line.substr(2)),
                        "finish it first");
    std::vector<std::string> changed;
    for (const std::string& each : repo::changed_paths(status))
        changed.push_back(base::visible(each));
    if (!changed.empty()) {
        const std::size_t all = changed.size();
        changed.resize(std::min<std::size_t>(all, 5));
        // a sub-agent does not learn the names of what it may not read
        const std::string names = parent.parent_id != 0 ? ""
                                                        : ": " + base::join(changed, ", ") +
                                                              (all > 5 ? " and others" : "");
        throw Error(ErrorCode::bad_request,
                    "isolate: " + base::counted(all, "uncommitted change") +
                        " would be missing in the clone" + names,
                    "commit what is to be there, and name the rest in .gitignore");
    }
    repo::clone_head(source, path, repo::author_of_agent(parent.name));
}

std::string known_text(const std::vector<SubAgent>& known) {
    std::vector<std::string> names;
    for (const SubAgent& each : known) names.push_back(each.agent.name);
    const std::size_t all = names.size();
    names.resize(std::min<std::size_t>(all, 10));
    return "there are " + base::quoted_list(names) + (all > 10 ? " and others" : "");
}

void add_below(store::Store& store, const store::Agent& above, std::size_t depth,
               std::vector<SubAgent>& all) {
    for (store::Agent& child : store::list_children(store, above.id)) {
        if (child.status != store::AgentStatus::active) continue;
        all.push_back({child, above.name, depth});
        add_below(store, child, depth + 1, all);
    }
}

}  // namespace

ChildrenLock lock_children(const Home& home, store::Store& store, const store::Agent& parent) {
    HeldAgent held = hold_agent(home, store, parent, sys::Lock::Mode::shared, spawn_lock_ms);
    auto lock = sys::Lock::acquire(home.branches_lock(parent.id), sys::Lock::Mode::exclusive,
                                   spawn_lock_ms);
    if (!lock)
        throw Error(ErrorCode::agent_busy,
                    "agent '" + parent.name + "': another command creates a sub-agent",
                    "try again in a moment");
    reclaim_children(home, store, parent.id);
    return {std::move(held), std::move(*lock)};
}

std::string preset_for(const Home& home, const store::Agent& parent, const std::string& preset) {
    const std::string path = agent::require_preset(home, preset);
    const std::string text = agent::preset_text(path);
    const SpawnOptions options{.preset = preset, .description = {}};
    return agent::with_paths(
        text, paths_of(home, parent, agent::parse_preset(text, path), options, false), path);
}

void check_depth(std::size_t depth, const store::Agent& parent) {
    if (depth <= base::limits::subagent_depth) return;
    throw Error(ErrorCode::bad_request,
                "agent '" + parent.name + "': sub-agents are nested at most " +
                    std::to_string(base::limits::subagent_depth) + " deep",
                "let it do the work itself");
}

std::string workplace_of(const Home& home, const store::Agent& agent) {
    return agent.place.empty() ? sys::real_path(home.directory(agent.dir).workspace())
                               : agent.place;
}

// Returns what the metadata says of a repository that is cloned.
std::string source_in_metadata(const Home& home, const store::Agent& parent,
                               const std::string& source) {
    const std::string own = home.directory(parent.dir).top_workspace();
    return sys::is_directory(own) && source == sys::real_path(own) ? agent::own_workspace : source;
}

store::Agent spawn(const Home& home, store::Store& store, const store::Agent& parent,
                   const SpawnOptions& options) {
    SpawnPlan plan = plan_spawn(home, store, parent, options);
    std::optional<sys::Scaffold> clone;
    if (!plan.cloned_from.empty()) {
        reclaim_leftovers(home, store);  // a killed one leaves a whole clone
        clone.emplace(temporary_directory(home, "work-" + base::random_short_id(8)));
        clone_into(clone->path() + "/work", plan.cloned_from, parent);
    }
    const ChildrenLock lock = lock_children(home, store, parent);
    take_name(home, store, plan, options, sys::now_ms());
    sys::Scaffold scaffold(temporary_directory(home, plan.row.name));
    if (clone) sys::rename_path(clone->path() + "/work", Directory(scaffold.path()).work());
    write_child_files(
        home, scaffold.path(), plan.row,
        {plan.preset_text, parent.name, source_in_metadata(home, parent, plan.cloned_from)});
    sys::make_directory(home.path() + "/" + plan.directory, 0700);
    store::Transaction transaction(store);
    plan.row = store::insert_agent(store, plan.row);
    transaction.commit();
    if (!scaffold.move_to(home.path() + "/" + plan.row.dir)) {
        store::delete_agent(store, plan.row.id);
        throw Error(ErrorCode::exists, home.path() + "/" + plan.row.dir + ": already exists",
                    "move it away, or try again in a second");
    }
    scaffold.keep();
    commit_status(store, plan.row, store::AgentStatus::active, "spawned");
    plan.row.status = store::AgentStatus::active;
    return plan.row;
}

std::vector<store::Agent> ancestors_of(store::Store& store, const store::Agent& agent) {
    std::vector<store::Agent> above;
    for (store::AgentId id = agent.parent_id; id != 0; id = above.back().parent_id) {
        auto found = store::find_agent(store, id);
        if (!found) break;
        above.push_back(std::move(*found));
    }
    return above;
}

store::AgentId top_of(store::Store& store, const store::Agent& agent) {
    const std::vector<store::Agent> above = ancestors_of(store, agent);
    return above.empty() ? agent.id : above.back().id;
}

std::vector<sys::PathRules> path_rules_of(const Home& home, store::Store& store,
                                          const store::Agent& agent, const std::string& root) {
    std::vector<store::Agent> chain = ancestors_of(store, agent);
    chain.insert(chain.begin(), agent);
    std::vector<sys::PathRules> all;
    // A clone has the names of the workspace that it is of: what is hidden there is hidden in it.
    // Write lists above do not count: the changes come back as a branch.
    bool is_in_clone = false;
    std::string at = root;
    for (const store::Agent& each : chain) {
        const Directory directory = home.directory(each.dir);
        if (!directory.is_of_sub_agent()) break;
        const std::string path = directory.configuration();
        const agent::PathLists paths = agent::load_preset(path).paths;
        if (!paths.read || !paths.write)
            throw Error(ErrorCode::config_invalid,
                        "Failed to load preset from " + path + ": paths has no " +
                            (paths.read ? "write" : "read"),
                        "a sub-agent's own preset.md has both lists (chorus-preset(5))");
        if (is_in_clone) at = workplace_of(home, each);
        const auto normal = [&](const std::vector<std::string>& globs) {
            std::vector<std::string> list;
            for (const std::string& glob : globs) list.push_back(sys::normal_glob(glob, at));
            return list;
        };
        sys::PathRules rules;
        rules.read = normal(*paths.read);
        rules.write =
            is_in_clone ? std::vector<std::string>{"**", "/tmp/**"} : normal(*paths.write);
        rules.deny = normal(paths.deny);
        add_missing(rules.deny, sys::usual_denials());
        all.push_back(std::move(rules));
        is_in_clone = is_in_clone || directory.is_isolated();
    }
    return all;
}

std::vector<SubAgent> sub_agents_of(store::Store& store, const store::Agent& agent) {
    std::vector<SubAgent> all;
    add_below(store, agent, 1, all);
    return all;
}

std::vector<SubAgent> sub_agents_here(const Home& home, store::Store& store,
                                      const store::Agent& agent) {
    const Directory directory = home.directory(agent.dir);
    const std::string here =
        Directory(agent.dir).branch_agents(agent::current_branch(directory)) + "/";
    std::vector<SubAgent> all;
    std::map<std::string, std::size_t> places;
    for (SubAgent& each : sub_agents_of(store, agent)) {
        const auto [at, is_first] = places.emplace(each.agent.name, all.size());
        if (is_first)
            all.push_back(std::move(each));
        else if (each.agent.dir.starts_with(here))
            all[at->second] = std::move(each);
    }
    return all;
}

std::optional<store::Agent> find_sub_agent(const Home& home, store::Store& store,
                                           const store::Agent& agent, const std::string& id) {
    for (SubAgent& each : sub_agents_here(home, store, agent))
        if (each.agent.name == id) return std::move(each.agent);
    return std::nullopt;
}

store::Agent require_sub_agent(const Home& home, store::Store& store, const store::Agent& agent,
                               const std::string& id) {
    if (auto found = find_sub_agent(home, store, agent, id)) return std::move(*found);
    const std::vector<SubAgent> known = sub_agents_of(store, agent);
    throw Error(
        ErrorCode::not_found,
        "sub-agent " + base::quoted(id) + ": agent '" + agent.name + "' has none of that id",
        known.empty() ? "chorus-run " + agent.name + " --spawn PRESET begins one"
                      : known_text(known));
}

}  // namespace chorus::life
