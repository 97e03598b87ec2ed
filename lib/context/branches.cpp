#include "context/branches.hpp"

#include "agent/transcript_mark.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "context/find_thread.hpp"
#include "context/transcript.hpp"
#include "store/messages.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/lock.hpp"
#include "sys/scaffold.hpp"

namespace chorus::context {
namespace {

using agent::Directory;
using base::Error;
using base::ErrorCode;

constexpr std::size_t most_name_bytes = 64;
constexpr const char* temporary = ".tmp-branch";
// Marks a branch directory that is in place but whose rows are not committed yet.
constexpr const char* unfinished = "/.unfinished";
constexpr const char* link_aside = "/.tmp-current";

Directory directory_of(const agent::Home& home, const store::Agent& agent) {
    return home.directory(agent.dir);
}

// The caller holds the agent's branches lock.
std::vector<std::string> leftovers(store::Store& store, const Directory& directory,
                                   const store::Agent& agent) {
    std::vector<std::string> paths;
    for (const std::string& path : {directory.path() + link_aside, directory.branch(temporary)})
        if (sys::is_link(path) || sys::exists(path)) paths.push_back(path);
    if (!sys::is_directory(directory.branches())) return paths;
    for (const std::string& entry : sys::list_directory(directory.branches())) {
        const std::string mark = directory.branch(entry) + unfinished;
        if (sys::is_link(directory.branch(entry)) || !sys::exists(mark)) continue;
        const bool has_rows = store::find_thread_of_branch(store, agent.id, entry).has_value();
        paths.push_back(has_rows ? mark : directory.branch(entry));
    }
    return paths;
}

void reclaim_locked(store::Store& store, const Directory& directory, const store::Agent& agent) {
    for (const std::string& path : leftovers(store, directory, agent)) sys::remove_tree(path);
}

// A sub-agent has no branches, and nothing in its directory is a leftover of one.
sys::Lock require_branches_lock(const agent::Home& home, const store::Agent& agent) {
    if (agent.kind == "child") refuse_sub_agent(agent.name);
    auto lock = sys::Lock::acquire(home.branches_lock(agent.id), sys::Lock::Mode::exclusive,
                                   base::limits::file_lock_ms);
    if (!lock)
        throw Error(ErrorCode::agent_busy,
                    "agent '" + agent.name + "': another branch is being created");
    return std::move(*lock);
}

// The parts that a new branch is built from.
struct Origin {
    const store::Agent& agent;
    const store::Thread& parent;
    const ForkPoint& point;
    base::TimeMs now = 0;
};

// YAML would read some names as numbers, so every text is quoted.
std::string metadata(const Origin& origin) {
    const ForkPoint& point = origin.point;
    const bool included = !point.kept.empty() && point.kept.back().id == point.message;
    return "parent_branch: \"" + origin.parent.branch + "\"\ncreated: \"" +
           base::iso8601(origin.now) + "\"\nbranch_point: " + std::to_string(point.message) +
           "\nbranch_point_included: " + (included ? "true" : "false") +
           "\nbranch_point_position: " + std::to_string(point.kept.size()) + "\ncommit: \"" +
           point.commit + "\"\n";
}

std::string transcript_beginning(const Origin& origin, const std::string& branch) {
    return "# " + origin.agent.name + "\n\n" + agent::transcript_mark(0) + "## Branch " + branch +
           " · " + base::iso8601(origin.now) + "\n\nForked from " + origin.parent.branch +
           " at message " + std::to_string(origin.point.message) +
           "; the earlier messages follow.\n";
}

// Copies the directories of sub-agents that existed at the fork point, by their rows, and those
// without a row.
void copy_agents(store::Store& store, const Directory& directory, const Origin& origin) {
    const std::string from = directory.branch_agents(origin.parent.branch);
    if (!sys::is_directory(from)) return;
    const std::string rows = Directory(origin.agent.dir).branch_agents(origin.parent.branch);
    const std::string to = directory.branch_agents(temporary);
    sys::make_directory(to);
    for (const std::string& entry : sys::list_directory(from)) {
        const std::string path = from + "/" + entry;
        if (sys::is_link(path) || !sys::is_directory(path)) continue;
        const auto row = store::find_child(store, rows + "/" + entry);
        if (!row ||
            (row->status == store::AgentStatus::active && was_there(*row, origin.point.until)))
            sys::copy_tree(path, to + "/" + entry);
    }
}

void build(store::Store& store, const Directory& directory, const Origin& origin,
           const std::string& branch) {
    sys::write_file(directory.branch(temporary) + unfinished, "");
    sys::write_file(directory.branch_metadata(temporary), metadata(origin));
    sys::write_file(directory.transcript(temporary, 0, true), transcript_beginning(origin, branch));
    copy_agents(store, directory, origin);
    sys::sync_filesystem(directory.branch(temporary));
}

// The messages of copied sub-agents have new ids.
void write_transcripts_below(store::Store& store, const agent::Home& home, store::AgentId agent,
                             const std::string& agents, const policy::Redaction& redaction) {
    for (const store::Agent& child : store::list_children(store, agent)) {
        if (!child.dir.starts_with(agents) || !sys::is_directory(home.directory(child.dir).path()))
            continue;
        write_transcript(store, home.directory(child.dir), child, redaction);
        write_transcripts_below(store, home, child.id, agents, redaction);
    }
}

void refuse_taken(store::Store& store, const store::Agent& agent, const std::string& name) {
    for (const store::Thread& thread : branch_threads(store, agent))
        if (store::given_name(thread.branch) == name || thread.branch == name)
            throw Error(ErrorCode::exists, "branch '" + name + "': agent '" + agent.name +
                                               "' has it already, as " + thread.branch);
}

}  // namespace

void check_branch_name(const std::string& name) {
    constexpr std::string_view digits = "0123456789";
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const bool fits = !name.empty() && name.size() <= most_name_bytes && name != "main" &&
                      name.find_first_not_of(letters) == std::string::npos && name.front() != '.' &&
                      name.front() != '-' && name.front() != '_' &&
                      name.find_first_not_of(digits) != std::string::npos;
    if (!fits)
        throw Error(
            ErrorCode::bad_request, "branch " + base::quoted(name) + ": not a valid branch name",
            "use at most 64 letters, digits, '.', '_' and '-', beginning with a letter or digit; "
            "not main, and not only digits");
}

void refuse_sub_agent(const std::string& name) {
    throw Error(ErrorCode::bad_request, "agent '" + name + "': a sub-agent cannot be branched",
                "branch its parent agent");
}

NewBranch make_branch(store::Store& store, const agent::Home& home, const store::Agent& agent,
                      const store::Thread& parent, const std::string& name, const ForkAt& at,
                      const policy::Redaction& redaction) {
    check_branch_name(name);
    const Directory directory = directory_of(home, agent);
    const sys::Lock lock = require_branches_lock(home, agent);
    reclaim_locked(store, directory, agent);
    refuse_taken(store, agent, name);

    NewBranch made;
    made.point = find_fork_point(store, agent, parent, at);
    const Origin origin{agent, parent, made.point, sys::now_ms()};
    const std::string branch = base::compact_utc(origin.now) + "-" + name;
    sys::Scaffold scaffold(directory.branch(temporary));
    build(store, directory, origin, branch);
    if (!scaffold.move_to(directory.branch(branch)))
        throw Error(ErrorCode::exists, directory.branch(branch) + ": already exists",
                    "move it away, or try again in a second");

    store::Transaction transaction(store);
    made.branch.thread = insert_fork(store, agent, parent, branch, made.point, origin.now);
    append_to_transcript(
        directory.transcript(branch, made.branch.thread.id, true),
        without_secrets(store::load_messages_after(store, agent.id, made.branch.thread.id, 0),
                        redaction));
    write_transcripts_below(store, home, agent.id, Directory(agent.dir).branch_agents(branch) + "/",
                            redaction);
    transaction.commit();
    scaffold.keep();
    sys::try_remove_tree(directory.branch(branch) + unfinished);
    made.branch.parent = parent.branch;
    made.branch.commit = made.point.commit;
    return made;
}

std::vector<Branch> list_branches(store::Store& store, const agent::Home& home,
                                  const store::Agent& agent) {
    const std::string current = current_branch(directory_of(home, agent));
    std::vector<Branch> branches;
    for (store::Thread& thread : branch_threads(store, agent)) {
        Branch branch;
        if (const auto parent = store::find_thread(store, agent.id, thread.parent_thread))
            branch.parent = parent->branch;
        if (thread.branch_point != 0) branch.commit = commit_at(store, thread.branch_point);
        branch.is_current = thread.branch == current;
        branch.thread = std::move(thread);
        branches.push_back(std::move(branch));
    }
    return branches;
}

void make_current(store::Store& store, const agent::Home& home, const store::Agent& agent,
                  const store::Thread& branch) {
    const Directory directory = directory_of(home, agent);
    const sys::Lock lock = require_branches_lock(home, agent);
    reclaim_locked(store, directory, agent);
    sys::make_directory(directory.branch(branch.branch));
    sys::replace_link(directory.current(), "branches/" + branch.branch,
                      directory.path() + link_aside);
}

std::vector<std::string> find_branch_leftovers(store::Store& store, const agent::Home& home,
                                               const store::Agent& agent) {
    const auto lock =
        sys::Lock::try_acquire(home.branches_lock(agent.id), sys::Lock::Mode::exclusive);
    return lock ? leftovers(store, directory_of(home, agent), agent) : std::vector<std::string>{};
}

void reclaim_branches(store::Store& store, const agent::Home& home, const store::Agent& agent) {
    const auto lock =
        sys::Lock::try_acquire(home.branches_lock(agent.id), sys::Lock::Mode::exclusive);
    if (lock) reclaim_locked(store, directory_of(home, agent), agent);
}

}  // namespace chorus::context
