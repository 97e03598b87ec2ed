#include "life/trim_home.hpp"

#include <unistd.h>

#include <optional>

#include "base/number.hpp"
#include "life/kept_checkpoints.hpp"
#include "store/imports.hpp"
#include "store/text_index.hpp"
#include "sys/file.hpp"
#include "sys/lock.hpp"

namespace chorus::life {
namespace {

// Returns 12 for "agent-12-thread-1".
std::optional<store::AgentId> agent_of(std::string_view lock) {
    constexpr std::string_view head = "agent-";
    if (!lock.starts_with(head)) return std::nullopt;
    lock.remove_prefix(head.size());
    const auto id = base::take_number<store::AgentId>(lock);
    return lock.empty() || lock[0] == '-' ? id : std::nullopt;
}

bool is_orphan(store::Store& store, std::string_view lock) {
    const auto id = agent_of(lock);
    if (!id) return false;
    const auto agent = store::find_agent(store, *id);
    return !agent || agent->status == store::AgentStatus::destroyed;
}

// Ids are never reused; a process that waits for such a lock then finds the agent destroyed.
std::int64_t remove_orphans(const agent::Home& home, store::Store& store, bool dry_run) {
    std::int64_t count = 0;
    if (!sys::is_directory(home.locks())) return 0;
    for (const std::string& name : sys::list_directory(home.locks())) {
        if (!is_orphan(store, name)) continue;
        const std::string path = home.locks() + "/" + name;
        const auto held = sys::Lock::try_acquire(path, sys::Lock::Mode::exclusive);
        if (held && (dry_run || unlink(path.c_str()) == 0)) ++count;
    }
    return count;
}

void discard_broken_off(const agent::Home& home, store::Store& store, const store::Agent& agent) {
    if (!store::has_unended_import(store, agent.id)) return;
    const auto held = sys::Lock::try_acquire(home.agent_lock(agent.id), sys::Lock::Mode::exclusive);
    if (held) store::discard_import(store, agent.id);
}

}  // namespace

TrimReport trim(const agent::Home& home, store::Store& store, const TrimOptions& options) {
    TrimReport report;
    for (const store::Agent& agent : options.agents) {
        if (!options.dry_run) discard_broken_off(home, store, agent);
        const base::TimeMs after_time = options.window_begin(agent);
        const store::Trimmed one =
            options.dry_run ? store::count_trimmable(store, agent, options.before, after_time)
                            : store::trim(store, agent, options.before, after_time);
        report.rows.messages += one.messages;
        report.rows.events += one.events;
        report.rows.steps += one.steps;
        if (agent.status == store::AgentStatus::active)
            report.checkpoints +=
                remove_checkpoints(home, store, agent, options.before, options.dry_run);
    }
    report.locks = remove_orphans(home, store, options.dry_run);
    if (!options.dry_run) {
        store::Transaction transaction(store);
        store::index_waiting(store);
        transaction.commit();
        report.bytes = store::release_pages(store, home.gate());
    }
    return report;
}

}  // namespace chorus::life
