// The events of a running turn (chorus.event/1) and its result at the end (chorus.result/1). The
// names are from A2A 0.3.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/enum_names.hpp"
#include "base/error.hpp"
#include "base/time.hpp"
#include "chat/message.hpp"
#include "chat/turn_plan.hpp"

namespace chorus::chat {

class JsonText;

enum class State { submitted, working, input_required, completed, failed, canceled };
std::string_view name(State state);  // "input-required"

// A named output of the agent, as events and results show it.
struct Artifact {
    std::string id;
    std::string kind;  // file, data, dataset
    std::string name;
    std::int64_t version = 1;
    std::int64_t size_bytes = 0;
    std::string path;  // relative to the agent's directory
};

struct TaskEvent {
    static constexpr std::string_view kind = "task";
};
struct StatusUpdate {
    static constexpr std::string_view kind = "status-update";
    State state = State::working;
    bool final = false;
    std::string reason;   // metadata.reason
    std::string message;  // for people
    base::TimeMs resume_at = 0;
    std::string result = {};  // of the final one: the turn's result as JSON
};
struct MessageEvent {
    static constexpr std::string_view kind = "message";
    Role role = Role::assistant;
    std::int64_t id = 0;
    std::string text;
    Usage usage = {};  // of the turn so far
};
struct ContentDelta {
    static constexpr std::string_view kind = "content-delta";
    std::string text;
};
struct CallEvent {
    static constexpr std::string_view kind = "tool-call";
    ToolCall call;
    std::string action;
};
struct CallComplete {
    static constexpr std::string_view kind = "tool-complete";
    std::string id;
    std::string tool;
    std::string action;
    std::string outcome;
    std::string text;
    std::int64_t duration_ms = 0;
    Change change = {};
};
struct RetryNotice {
    static constexpr std::string_view kind = "retry";
    int attempt = 0;
    std::int64_t wait_ms = 0;
    std::string category;
    std::string message;
};
// From here on, requests are sent with another credential profile.
struct CredentialSwitch {
    static constexpr std::string_view kind = "credential-switch";
    std::string provider;
    std::string previous;
    std::string profile;
    std::int64_t attempt = 0;  // of the turn
};
// An artifact was written; with `append`, at its end.
struct ArtifactUpdate {
    static constexpr std::string_view kind = "artifact-update";
    Artifact artifact;
    bool append = false;
};
// A sub-agent of the turn, at any depth, began, made a call or ended.
struct Subtask {
    static constexpr std::string_view kind = "subtask";
    std::string sub_agent;
    std::string preset;
    std::string description;
    State state = State::working;
    std::string action = {};  // of its newest call; "": none yet
    std::int64_t tool_calls = 0;
    std::int64_t duration_ms = 0;
};
// The turn said which steps it takes, and where it is.
struct PlanUpdate {
    static constexpr std::string_view kind = "plan";
    Plan steps;
};
// kind begins with "internal:"; shown only with --events all.
struct InternalEvent {
    std::string kind;
    std::string data;  // JSON object as text
};
using Event =
    std::variant<TaskEvent, StatusUpdate, MessageEvent, ContentDelta, CallEvent, CallComplete,
                 RetryNotice, CredentialSwitch, ArtifactUpdate, Subtask, PlanUpdate, InternalEvent>;

// A pending question, as results and status updates show it.
enum class PromptKind { permission, question, trust };
inline constexpr base::EnumNames<PromptKind, 3> prompt_kinds{{"permission", "question", "trust"}};

struct PromptNotice {
    std::string id;
    PromptKind kind = PromptKind::permission;
    std::string action;
    std::string tool;
    std::string arguments;
    std::string text;
    base::TimeMs expires_at = 0;
    std::vector<std::string> options = {};  // of a question: the possible answers; empty: any text
    std::string changed = {};               // since it was asked: "changed: Makefile", or ""
    std::string sub_agent = {};  // that asks; "": the agent itself. Only a terminal needs it
};

// Sub-agents that calls of a turn spawned, at any depth, and what their turns used. An unknown cost
// counts as 0.
struct SubAgentsUsed {
    std::int64_t count = 0;
    Usage usage = {};
};

// A turn of an isolated sub-agent leaves its changes in its clone. Both are "" if there are none.
struct HandedBack {
    std::string branch = {};   // of the repository that was cloned
    std::string problem = {};  // why there is none
};
// As the agent above is told, after the answer; "" for nothing.
std::string said_of(const HandedBack& work);

struct TurnResult {
    std::string agent;
    std::int64_t thread = 1;
    std::int64_t turn_id = 0;
    std::int64_t turn_number = 0;
    State state = State::completed;
    std::string reason;
    std::string permissions = {};  // the name of the profile it has
    std::string text;
    std::string structured = {};  // JSON that is valid against --json-schema, or ""
    Usage usage;                  // of this turn alone
    SubAgentsUsed sub_agents = {};
    std::int64_t iterations = 0;
    std::int64_t tool_calls = 0;
    std::vector<Artifact> artifacts = {};  // that the turn wrote
    HandedBack work = {};
    std::vector<PromptNotice> prompts;
    struct Denied {
        std::string action;
        std::string detail;
    };
    std::vector<Denied> denied;
    std::int64_t audit_rows = 0;
    std::string audit_hash;
    std::optional<base::Error> error;
    std::string error_category;
    std::string metadata = {};  // a JSON object of strings, from --meta, or ""
    base::TimeMs resume_at = 0;
    base::ExitStatus exit_status = base::ExitStatus::done;
    bool replayed = false;  // the result of an earlier turn with the same idempotency key
    // Whether the user's message is stored; nothing if none was given.
    std::optional<bool> accepted = {};
};

struct EventSource {
    std::string agent;
    std::int64_t thread = 1;
    std::int64_t turn_id = 0;
};

bool is_internal(const Event& event);
// One line of JSON, without its newline.
std::string to_json(const Event& event, const EventSource& source, base::TimeMs at);
std::string to_json(const TurnResult& result);
// Reads a line of to_json(Event) with a Subtask; nothing if it is another kind of line.
std::optional<Subtask> parse_subtask(std::string_view json);
// Writes the members of a pending question into an open object.
void write_members(JsonText& out, const PromptNotice& prompt);
// Reads what to_json wrote, for --idempotency-key: only the members needed to print it again.
TurnResult parse_result(std::string_view json);

}  // namespace chorus::chat
