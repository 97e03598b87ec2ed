#include "life/deciders.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/records.hpp"
#include "sys/process.hpp"

namespace chorus::life {
namespace {

using base::Error;
using base::ErrorCode;

constexpr const char* hint = "decide in your own terminal or script";

// Compares only the number of a process that /proc hides.
bool works_on(const store::Turn& turn, const sys::Identity& process) {
    return turn.pid == process.pid && (process.start == 0 || turn.pid_start == process.start);
}

}  // namespace

void append_decision(store::Store& store, const store::Agent& agent, const Decider& decider,
                     std::string action, std::string decision, const std::string& detail) {
    store::append_audit(store, agent,
                        {.action = std::move(action),
                         .decision = std::move(decision),
                         .actor = decider.actor,
                         .detail = decider.secrets.apply(detail)});
}

void refuse_from_inside(const sys::Environment& environment) {
    const auto agent = environment.all().find("CHORUS_AGENT");
    if (agent != environment.all().end())
        throw Error(ErrorCode::forbidden,
                    "this process was started by agent " + base::quoted(agent->second) +
                        " (CHORUS_AGENT) and may not decide",
                    hint);
}

void refuse_from_inside(store::Store& store, const sys::Environment& environment) {
    refuse_from_inside(environment);
    const auto turns = store::turns_at_work(store);
    if (turns.empty()) return;
    for (const sys::Identity& process : sys::ancestors())
        for (const store::Turn& turn : turns)
            if (works_on(turn, process))
                throw Error(ErrorCode::forbidden,
                            "this process was started by a running turn (process " +
                                std::to_string(turn.pid) + ") and may not decide",
                            hint);
}

}  // namespace chorus::life
