// Alerts of a turn's calls: files that they leave for programs outside the sandbox to obey.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "place/place.hpp"
#include "store/records.hpp"
#include "sys/plants.hpp"

namespace chorus::turn {

class Alerts {
  public:
    explicit Alerts(place::Place& place) : place_(place) {}
    // Prints the alert. In any thread.
    void raise(const sys::PlantReport& report);
    // Writes the audit rows of what was raised. Inside a transaction of the caller.
    void write(const store::Turn& turn);
    // After the commit.
    void settle();

  private:
    place::Place& place_;
    std::mutex mutex_;
    std::vector<std::string> raised_;
    std::size_t written_ = 0;
};

// Commits the audit row of an alert outside of a turn, and prints it. `row` has the actor, and the
// turn if there was one.
void alert(const place::Surroundings& surroundings, store::Store& store,
           const policy::Redaction& redaction, const store::Agent& agent, store::AuditRow row,
           const sys::PlantReport& report);
// Alerts of what a call left whose process was killed, once. Returns a clause for the model, or "".
std::string alert_of_killed(const place::Surroundings& surroundings, store::Store& store,
                            const policy::Redaction& redaction, const store::Agent& agent,
                            const store::Turn& turn);
// The same for the newest turn of a thread.
std::string alert_of_killed(const place::Surroundings& surroundings, store::Store& store,
                            const policy::Redaction& redaction, const store::Agent& agent,
                            store::ThreadId thread);

}  // namespace chorus::turn
