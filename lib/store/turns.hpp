#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chat/message.hpp"
#include "store/threads.hpp"

namespace chorus::store {

using TurnId = std::int64_t;

// The names of chorus(7), section STATES.
enum class TurnState {
    starting,
    working,
    idle,
    prompt,
    error,
    parked,
    exited,
    unknown,
    restarting
};
std::string_view name(TurnState state);

struct Turn {
    TurnId id = 0;
    AgentId agent_id = 0;
    ThreadId thread_id = 1;
    std::int64_t turn_number = 0;
    TurnState state = TurnState::starting;
    std::string reason;
    std::int64_t pid = 0;  // 0: no process works on it
    std::int64_t pid_start = 0;
    std::string actor;
    std::string model;
    std::string profile;
    std::int64_t attempt = 1;  // 0: imported, ran elsewhere
    base::TimeMs started_at = 0;
    base::TimeMs ended_at = 0;  // 0: not ended (suspended and parked turns are not)
    int exit_code = -1;
    std::int64_t iterations = 0;
    std::int64_t tool_calls = 0;
    std::string current_step;
    std::string error_category;
    std::string error_detail;
    base::TimeMs resume_at = 0;
    chat::Usage usage;
    std::string idempotency_key;
    std::string options;  // JSON: what --resume needs (limits, on-ask, fresh, working directory)
    std::string result;   // JSON of the finished turn, for --idempotency-key
    std::string working_directory;  // of -C, else ""
    std::string prefix_hash;
    std::string commit_before;
    std::string commit_after;
    std::string plan;  // JSON array of its steps (chat/event.hpp), "": none
};

// Returns whether its window began empty.
bool is_fresh(const Turn& turn);
inline std::string_view options_json(const Turn& turn) {
    return turn.options.empty() ? "{}" : std::string_view(turn.options);
}
// Returns the JSON object of --meta, or "".
std::string metadata_of(const Turn& turn);
// Options of a turn about which nothing else is known. `metadata`: as metadata_of returns it.
std::string imported_options(bool is_fresh, const std::string& metadata);

// Returns the id of the next turn of the home. Ids that an import has reserved and those of removed
// turns are skipped.
TurnId next_turn_id(Store& store);
// A setting of the home: the greatest id of a turn that was removed.
constexpr std::string_view newest_forgotten_turn = "newest_forgotten_turn";
// Inserts the turn with the thread's next turn_number, and sets that number and the id: the given
// one, or the next. Error(agent_busy) if the thread has an open turn.
void insert_turn(Store& store, Turn& turn, TurnId id = 0);
// Writes every column from the struct.
void update_turn(Store& store, const Turn& turn);
std::optional<Turn> find_turn(Store& store, TurnId id);
// Returns the turn that has not ended: working (pid set), suspended or parked. A thread has at most
// one.
std::optional<Turn> find_open_turn(Store& store, AgentId agent, ThreadId thread);
// The distinct directories of all turns with -C.
std::vector<std::string> working_directories(Store& store);
std::optional<Turn> newest_turn(Store& store, AgentId agent, ThreadId thread);
// Returns whether the newest turn of the thread ended by itself, or there is none.
bool newest_turn_is_idle(Store& store, AgentId agent, ThreadId thread);
// Returns the newest ended turn whose window is recorded and whose input the provider counted.
std::optional<Turn> newest_counted_turn(Store& store, AgentId agent, ThreadId thread);
std::optional<Turn> find_turn_by_key(Store& store, AgentId agent, std::string_view idempotency_key);
std::vector<Turn> open_turns(Store& store, AgentId agent);
// Returns the open turns of the sub-agents that this turn waits for, at any depth, the deepest
// first: those that calls without a result spawned.
std::vector<Turn> open_turns_below(Store& store, TurnId turn);
// Returns the turn that in the end waits for this one, through calls that spawned and have no
// result, also one that was cut short; the turn itself if none does.
TurnId top_turn(Store& store, TurnId turn);
// The newest turn of each thread that has one, by thread.
std::vector<Turn> newest_turns(Store& store, AgentId agent);
// In order of id.
std::vector<Turn> list_turns(Store& store, AgentId agent);
// Turns of all agents with a process that works on them; the process may be gone unnoticed.
std::vector<Turn> turns_at_work(Store& store);
// Increments turn_count and updates last_activity of the agent; part of the transaction that ends a
// turn.
void count_turn(Store& store, const Turn& turn, base::TimeMs now);
// The reverse, for a turn that is reopened: it is counted when it ends again.
void uncount_turn(Store& store, const Turn& turn);

struct Step {
    TurnId turn_id = 0;
    std::int64_t step_number = 0;
    std::string description;
    base::TimeMs started_at = 0;
    base::TimeMs ended_at = 0;
    std::int64_t duration_ms = 0;
};
void insert_step(Store& store, const Step& step);
std::vector<Step> load_steps(Store& store, TurnId turn);

// The intent of a tool call and its outcome (promise 3).
struct ToolRun {
    TurnId turn_id = 0;
    std::int64_t position = 0;  // call order within the turn
    std::string tool_call_id;   // unique within the turn
    std::string tool;
    std::string action = {};
    std::string decision = {};   // "", allow, ask_approved, ask_denied, deny
    std::string evidence = {};   // JSON: needed to check later whether the effect took place
    base::TimeMs intent_at = 0;  // 0: not started
    base::TimeMs finished_at = 0;
    std::string outcome = {};  // "", ok, error, denied, interrupted, unknown, cancelled, expired
    std::string patch = {};    // only read, and only for outcome ok: its change of a file
};
void insert_tool_run(Store& store, const ToolRun& run);
void update_tool_run(Store& store,
                     const ToolRun& run);  // by turn_id and tool_call_id; position stays
// Stores the call's change of a file; part of the transaction of its intent.
void set_patch(Store& store, TurnId turn, std::string_view tool_call_id, std::string_view patch);
std::vector<ToolRun> load_tool_runs(Store& store, TurnId turn);
// Runs that were started and have no result yet.
std::vector<ToolRun> unfinished_tool_runs(Store& store, TurnId turn);

}  // namespace chorus::store
