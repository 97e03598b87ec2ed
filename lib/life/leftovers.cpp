#include "life/leftovers.hpp"

#include "base/id.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "store/imports.hpp"
#include "store/records.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/lock.hpp"
#include "sys/process.hpp"

namespace chorus::life {
namespace {

using agent::Home;

std::int64_t number(std::string_view digits) {
    return base::take_number<std::int64_t>(digits).value_or(0);
}

std::string_view name_in(std::string_view entry) {
    for (int part = 0; part < 4 && !entry.empty(); ++part) {
        const std::size_t end = entry.find('-');
        entry.remove_prefix(end == std::string_view::npos ? entry.size() : end + 1);
    }
    return entry;
}

bool is_remains(std::string_view entry) {
    if (!entry.starts_with(temporary_prefix)) return false;
    const auto parts = base::split(entry.substr(temporary_prefix.size()), '-');
    return parts.size() < 3 || !sys::is_alive({number(parts[0]), number(parts[1])});
}

// Keeps a row whose files are in place, because they are moved there whole.
void reclaim_row(store::Store& store, const store::Agent& row, const std::string& configuration) {
    if (sys::exists(configuration) && !store::has_unended_import(store, row.id))
        commit_status(store, row, store::AgentStatus::active, "recovered");
    else
        store::delete_agent(store, row.id);
}

// Calls `use` for each sub-agent that nobody is creating any more, under the lock of spawns.
template <typename Use>
void for_each_half_created(const Home& home, store::Store& store, Use use) {
    for (const store::Agent& row : store::all_agents(store)) {
        if (row.kind != "child" || row.status != store::AgentStatus::creating) continue;
        if (const auto lock = sys::Lock::try_acquire(home.branches_lock(row.parent_id),
                                                     sys::Lock::Mode::exclusive))
            use(row);
    }
}

}  // namespace

std::string temporary_directory(const Home& home, const std::string& name) {
    const sys::Identity self = sys::own_identity();
    return home.agents() + "/" + std::string(temporary_prefix) + std::to_string(self.pid) + "-" +
           std::to_string(self.start) + "-" + base::random_short_id(6) + "-" + name;
}

bool has_remains(const Home& home, std::string_view name) {
    for (const std::string& entry : sys::list_directory(home.agents()))
        if (is_remains(entry) && name_in(entry) == name) return true;
    return false;
}

void note_status(store::Store& store, const store::Agent& row, store::AgentStatus status,
                 std::string cause, std::string data) {
    store::insert_event(store, {.agent_id = row.id,
                                .thread_id = 0,
                                .turn_id = 0,
                                .at = sys::now_ms(),
                                .kind = "agent",
                                .previous = std::string(store::name(row.status)),
                                .next = std::string(store::name(status)),
                                .cause = std::move(cause),
                                .data = std::move(data)});
}

void commit_status(store::Store& store, const store::Agent& row, store::AgentStatus status,
                   const char* cause) {
    store::Transaction transaction(store);
    store::set_agent_status(store, row.id, status);
    note_status(store, row, status, cause);
    transaction.commit();
}

std::vector<std::string> find_leftovers(const Home& home, store::Store& store) {
    std::vector<std::string> found;
    if (!sys::Lock::try_acquire(home.birth_lock(), sys::Lock::Mode::exclusive)) return found;
    for (const std::string& entry : sys::list_directory(home.agents()))
        if (is_remains(entry))
            found.push_back(home.agents() + "/" + entry + ": left by a killed command");
    for (const store::Agent& row : store::list_agents(store))
        if (row.status == store::AgentStatus::creating)
            found.push_back("agent '" + row.name + "': its chorus-init was killed");
    for_each_half_created(home, store, [&](const store::Agent& row) {
        found.push_back("sub-agent '" + row.name + "': its creation was killed");
    });
    return found;
}

std::vector<std::string> find_half_destroyed(const Home& home, store::Store& store) {
    std::vector<std::string> found;
    for (const store::Agent& row : store::all_agents(store))
        if (row.status == store::AgentStatus::destroying &&
            sys::Lock::try_acquire(home.destroy_lock(row.id), sys::Lock::Mode::exclusive))
            found.push_back("agent '" + row.name + "': its chorus-destroy was interrupted; " +
                            "chorus-destroy " + row.name + " finishes it");
    return found;
}

void reclaim_locked(const Home& home, store::Store& store) {
    // what cannot be removed does no harm, and chorus-config doctor shows it
    for (const std::string& entry : sys::list_directory(home.agents()))
        if (is_remains(entry)) sys::try_remove_tree(home.agents() + "/" + entry);
    for (const store::Agent& row : store::list_agents(store))
        if (row.status == store::AgentStatus::creating)
            reclaim_row(store, row, home.agent(row.name) + "/agent.json");
}

void reclaim_children(const Home& home, store::Store& store, store::AgentId parent) {
    for (const store::Agent& child : store::list_children(store, parent))
        if (child.status == store::AgentStatus::creating)
            reclaim_row(store, child, home.directory(child.dir).configuration());
}

void reclaim_leftovers(const Home& home, store::Store& store) {
    if (sys::Lock::try_acquire(home.birth_lock(), sys::Lock::Mode::exclusive))
        reclaim_locked(home, store);
    for_each_half_created(home, store, [&](const store::Agent& row) {
        reclaim_children(home, store, row.parent_id);
    });
}

}  // namespace chorus::life
