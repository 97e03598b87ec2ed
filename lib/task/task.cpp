#include "task/task.hpp"

#include <algorithm>
#include <csignal>
#include <map>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/git_place.hpp"
#include "sys/lock.hpp"
#include "sys/plants.hpp"
#include "sys/process.hpp"
#include "task/ending.hpp"
#include "task/kept_plants.hpp"

namespace chorus::task {
namespace {

using base::Error;
using base::ErrorCode;
using store::TaskStatus;

constexpr std::int64_t margin_ms = 3'000;  // to notice an end and to record it
constexpr std::int64_t kill_patience_ms = 5'000;
constexpr std::size_t most_named = 20;

// Returns nothing for a task without a sandbox, which is not searched for plants.
std::optional<sys::Plants> plants_before(const Site& site, const store::Task& task) {
    const auto text =
        sys::read_file_if_there(site.directory.task_plants(task.id), base::limits::json_bytes);
    if (!text) return std::nullopt;
    return sys::Plants::parse(*text);
}

// A recorded end is kept: a supervisor that releases its lock has recorded the end before.
store::Task settle_one(const Site& site, store::Task task, TaskStatus status) {
    task.status = status;
    task.signal = status == TaskStatus::killed ? SIGKILL : 0;
    task.ended_at = std::max(sys::now_ms(), task.started_at);
    if (status == TaskStatus::lost) task.note = "its end is unknown: its supervisor is gone";
    sys::remove_mount_points(task.directory);
    sys::PlantReport plants;
    if (const auto before = plants_before(site, task))
        plants = plants_since(task.directory, *before);
    if (!plants.line.empty()) task.note += (task.note.empty() ? "" : "; ") + plants.line;
    record_end(site.store, task, plants.record);
    return task;
}

bool is_alive(const Site& site, const store::Task& task) {
    return !sys::Lock::try_acquire(site.home.task_lock(site.agent), sys::LockMode::shared,
                                   range_of(task));
}

// A process id recorded before the last boot never matches a running process.
sys::Identity supervisor_of(const store::Task& task) {
    return task.boot_id == sys::boot_id() ? sys::Identity{task.pid, task.pid_start}
                                          : sys::Identity{};
}

std::string names_of(const std::vector<store::Task>& tasks) {
    std::vector<std::string> names;
    for (const store::Task& task : tasks) names.push_back(task.id);
    if (names.size() > most_named)
        names.erase(names.begin(), names.end() - static_cast<std::ptrdiff_t>(most_named));
    return base::join(names, ", ");
}

store::Task as_it_is_now(const Site& site, const store::Task& task) {
    return store::find_task(site.store, site.agent, task.id).value_or(task);
}

}  // namespace

void require_room(store::Store& store, store::AgentId agent, const char* hint) {
    if (std::ssize(store::running_tasks(store, agent)) < base::limits::tasks) return;
    throw Error(ErrorCode::limit,
                std::to_string(base::limits::tasks) + " tasks are running, the limit for one agent",
                hint);
}

std::vector<store::Task> settle(const Site& site,
                                const std::function<void(const store::Task&)>& on_lost) {
    auto running = store::running_tasks(site.store, site.agent);
    std::erase_if(running, [&](const store::Task& task) {
        if (is_alive(site, task)) return false;
        const store::Task lost = settle_one(site, task, TaskStatus::lost);
        if (on_lost) on_lost(lost);
        return true;
    });
    report_lost(site.store, site.agent);
    return running;
}

store::Task require_task(const Site& site, std::string_view id) {
    settle(site);
    if (const std::int64_t number = number_of(id); number > 0)
        if (auto task = store::find_task(site.store, site.agent, store::task_id(number)))
            return *task;
    auto all = store::ended_tasks(site.store, site.agent, 0);
    const auto running = store::running_tasks(site.store, site.agent);
    all.insert(all.end(), running.begin(), running.end());
    throw Error(ErrorCode::not_found, "no task " + base::quoted(id),
                all.empty() ? "the agent has no tasks" : "there are " + names_of(all));
}

std::vector<std::string> plants_of(const Site& site, const std::vector<store::Task>& running) {
    std::map<std::string, sys::Plants> now;
    std::vector<std::string> told;
    for (const store::Task& task : running) {
        const auto before = plants_before(site, task);
        if (!before) continue;
        if (now.count(task.directory) == 0) now[task.directory] = sys::Plants::in(task.directory);
        const std::string plants = now[task.directory].report_since(*before).line;
        if (!plants.empty())
            told.push_back(task.id + ": " + plants + plants_advice(task.directory));
    }
    constexpr std::string_view prefix = "plants-";
    const std::string commands = site.directory.commands();
    if (!sys::is_directory(commands)) return told;
    for (const std::string& name : sys::list_directory(commands)) {
        if (!name.starts_with(prefix)) continue;
        const std::string plants = left_plants(commands + "/" + name).line;
        if (!plants.empty()) told.push_back("thread " + name.substr(prefix.size()) + ": " + plants);
    }
    return told;
}

bool await_end(const Site& site, const store::Task& task, std::int64_t wait_ms,
               const std::function<bool()>& stop) {
    return sys::Lock::acquire(site.home.task_lock(site.agent), sys::LockMode::shared, wait_ms, stop,
                              range_of(task))
        .has_value();
}

std::optional<store::Task> wait(const Site& site, const std::string& id, std::int64_t wait_ms,
                                const std::function<bool()>& stop) {
    store::Task task = require_task(site, id);
    if (task.ended_at != 0) return task;
    const auto stopped = [&] {
        if (sys::Lock::try_acquire(site.home.task_lock(site.agent), sys::LockMode::shared,
                                   unrecorded_range_of(task)))
            return stop && stop();
        throw base::Error(base::ErrorCode::failed,
                          "task " + task.id + ": it has ended, and its end cannot be recorded",
                          "free some space on the disk of the home; the end is recorded then");
    };
    if (!await_end(site, task, wait_ms, stopped)) return std::nullopt;
    return require_task(site, task.id);
}

std::vector<store::Task> end(const Site& site, const std::vector<store::Task>& tasks,
                             std::int64_t grace_ms) {
    for (const store::Task& task : tasks)
        if (task.ended_at == 0) sys::ask_to_end(supervisor_of(task));
    const std::int64_t until_ms = sys::monotonic_ms() + grace_ms + margin_ms;
    std::vector<store::Task> ended;
    for (const store::Task& task : tasks) {
        const std::int64_t left_ms = std::max<std::int64_t>(until_ms - sys::monotonic_ms(), 0);
        if (task.ended_at == 0 && !await_end(site, task, left_ms)) {
            sys::signal_process(supervisor_of(task), SIGKILL);
            if (await_end(site, task, kill_patience_ms)) settle_one(site, task, TaskStatus::killed);
        }
        ended.push_back(task);
    }
    settle(site);
    for (store::Task& task : ended) task = as_it_is_now(site, task);
    return ended;
}

}  // namespace chorus::task
