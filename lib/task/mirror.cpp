#include "agent/configuration.hpp"
#include "base/time.hpp"
#include "chat/json.hpp"
#include "store/agents.hpp"
#include "sys/file.hpp"
#include "sys/lock.hpp"
#include "task/task.hpp"

namespace chorus::task {
namespace {

constexpr std::int64_t patience_ms = 1'000;

chat::Json rows_of(const std::vector<store::Task>& tasks) {
    chat::Json rows = chat::Json::array();
    for (const store::Task& task : tasks)
        rows.push_back({{"id", task.id},
                        {"command", task.command},
                        {"started_at", base::iso8601(task.started_at)},
                        {"pid", task.pid},
                        {"status", std::string(store::name(task.status))}});
    return rows;
}

// Returns nothing where agent.json is missing.
std::optional<std::string> text_of(const Site& site) {
    return sys::read_file_if_there(site.directory.configuration(), base::limits::config_bytes);
}

bool says(const std::string& text, const chat::Json& rows) {
    const auto object = chat::try_parse_json(text);
    if (!object || !object->is_object()) return true;
    const auto member = object->find("running_tasks");
    return member == object->end() ? rows.empty() : *member == rows;
}

}  // namespace

void mirror(const Site& site) {
    const auto unlocked = text_of(site);
    if (!unlocked || says(*unlocked, rows_of(store::running_tasks(site.store, site.agent)))) return;
    const auto lock = sys::Lock::acquire(site.home.configuration_lock(site.agent),
                                         sys::LockMode::exclusive, patience_ms);
    if (!lock) return;
    // another agent may use the directory by now
    const auto agent = store::find_agent(site.store, site.agent);
    if (!agent || agent->status == store::AgentStatus::destroyed) return;
    const auto text = text_of(site);
    const chat::Json rows = rows_of(store::running_tasks(site.store, site.agent));
    if (!text || says(*text, rows)) return;
    sys::write_file(site.directory.configuration(),
                    agent::with_members(*text, {{"running_tasks", chat::dump(rows)}}));
}

}  // namespace chorus::task
