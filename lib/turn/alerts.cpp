#include "turn/alerts.hpp"

#include <utility>

#include "sys/file.hpp"
#include "task/kept_plants.hpp"

namespace chorus::turn {

void Alerts::raise(const sys::PlantReport& report) {
    const std::lock_guard guard(mutex_);
    place_.surroundings.alert(report.line);
    raised_.push_back(place_.redaction.apply(report.record));
}

void Alerts::write(const store::Turn& turn) {
    const std::lock_guard guard(mutex_);
    for (const std::string& record : raised_)
        task::audit_plants(place_.store, place_.agent, {.turn_id = turn.id, .actor = turn.actor},
                           record);
    written_ = raised_.size();
}

void Alerts::settle() {
    const std::lock_guard guard(mutex_);
    if (written_ == 0) return;
    raised_.erase(raised_.begin(), raised_.begin() + static_cast<std::ptrdiff_t>(written_));
    written_ = 0;
    if (raised_.empty()) task::forget_plants(place_.directory.call_plants(place_.thread.id));
}

void alert(const place::Surroundings& surroundings, store::Store& store,
           const policy::Redaction& redaction, const store::Agent& agent, store::AuditRow row,
           const sys::PlantReport& report) {
    store::Transaction transaction(store);
    task::audit_plants(store, agent, std::move(row), redaction.apply(report.record));
    transaction.commit();
    surroundings.alert(report.line);
}

std::string alert_of_killed(const place::Surroundings& surroundings, store::Store& store,
                            const policy::Redaction& redaction, const store::Agent& agent,
                            const store::Turn& turn) {
    const std::string file = surroundings.home.directory(agent.dir).call_plants(turn.thread_id);
    const sys::PlantReport left = task::left_plants(file);
    const std::string when = "during a call that was killed, ";
    if (!left.line.empty())
        alert(surroundings, store, redaction, agent, {.turn_id = turn.id, .actor = turn.actor},
              {agent.name + ": " + when + left.line, when + left.record});
    task::forget_plants(file);
    return left.line.empty() ? "" : when + left.line;
}

std::string alert_of_killed(const place::Surroundings& surroundings, store::Store& store,
                            const policy::Redaction& redaction, const store::Agent& agent,
                            store::ThreadId thread) {
    if (!sys::exists(surroundings.home.directory(agent.dir).call_plants(thread))) return {};
    const auto turn = store::newest_turn(store, agent.id, thread);
    return turn ? alert_of_killed(surroundings, store, redaction, agent, *turn) : "";
}

}  // namespace chorus::turn
