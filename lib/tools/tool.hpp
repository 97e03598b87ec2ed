// The tools of the model. A tool is one file beside this one and its line in registry.cpp. Whether
// a call may run is decided before, in one place elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/layout.hpp"
#include "base/limits.hpp"
#include "chat/message.hpp"
#include "chat/turn_plan.hpp"
#include "sys/beneath.hpp"
#include "sys/plants.hpp"
#include "sys/sandbox.hpp"

namespace chorus::agent {
struct HomeConfiguration;
}
namespace chorus::model {
class Catalog;
}

namespace chorus::tools {

struct Tasks;
struct SubAgents;
struct Artifacts;
struct OtherAgents;

// The arguments of a call, without making every tool depend on a JSON library.
class Arguments {
  public:
    Arguments();
    // Never throws: sets `problem` if the text is not a JSON object.
    static Arguments parse(std::string_view json);
    const std::string& problem() const { return problem_; }

    bool has(const std::string& name) const;
    std::string text(const std::string& name, std::string fallback = {}) const;
    std::int64_t integer(const std::string& name, std::int64_t fallback) const;
    bool flag(const std::string& name, bool fallback = false) const;
    std::vector<std::string> list(const std::string& name) const;
    // Returns the JSON text of an argument that is an object, its members in the order written;
    // else "".
    std::string object(const std::string& name) const;
    std::vector<std::string> names() const;
    // Whether the value of `name`, which must exist, can be read as that parameter type ("5" is an
    // integer).
    bool fits(const std::string& name, std::string_view type) const;
    // Compact, with sorted keys: what approvals and hashes are bound to.
    const std::string& canonical() const { return canonical_; }

  private:
    struct Values;
    std::shared_ptr<const Values> values_;
    std::string problem_;
    std::string canonical_;
};

// What a tool works on. One per turn; read-only tools use it from several threads at once.
struct Workplace {
    const sys::Root& root;  // the workspace, or -C DIR
    const agent::HomeConfiguration& home_configuration;
    const model::Catalog& catalog;
    std::string agent;
    sys::Sandbox sandbox;
    std::vector<std::string> environment;             // scrubbed
    std::optional<base::Error> sandbox_problem = {};  // why commands cannot run
    std::int64_t bash_most_ms = base::limits::bash_most_ms;
    std::function<bool()> stop = {};  // the turn is being ended
    std::string file_lock_path;       // one lock file per agent
    // Time from SIGTERM to SIGKILL for a command that `stop` ends; empty: as for its own timeout.
    std::function<std::int64_t()> stop_grace_ms = {};
    // Tells the user, also one of a quiet turn, and the audit log.
    std::function<void(const sys::PlantReport&)> alert = {};
    // For the self-edit tools: what they change, the lock they hold, and what they check against.
    // The agent's, absolute. `view` also reads its artifacts, by absolute path.
    agent::Directory directory = agent::Directory({});
    std::string configuration_lock_path = {};
    std::string available_models_path = {};
    Tasks* tasks = nullptr;  // tools/task_tools.hpp; null only where no tool of tasks runs
    const SubAgents* sub_agents = nullptr;                  // tools/sub_agents.hpp; likewise
    const Artifacts* artifacts = nullptr;                   // tools/artifact_holders.hpp; likewise
    const OtherAgents* other_agents = nullptr;              // tools/other_agents.hpp; likewise
    std::function<void(const chat::Plan&)> keep_plan = {};  // of the turn, and tells of it
    std::string call_id = {};                               // of the call that is planned
    std::string plants_file = {};  // agent::Directory::call_plants of the thread; "": none
};

// How a killed call is recovered. A question is answered by a person and runs nothing. A
// sub-agent's call goes on, because its turn is found again.
enum class Class { read, write, command, repository, question, agent };

struct Parameter {
    std::string_view name;
    // "string", "integer", "boolean", "array" (of strings), "string or object"
    std::string_view type;
    std::string_view description;
    bool required = false;
};

// A change that is planned but not begun. The evidence from which recovery can tell whether it
// happened is committed before it is applied.
struct Plan {
    std::string evidence;  // for find_effect (tools/effect.hpp); "" if there is none
    // Holds the file's lock until destroyed. Returns nothing if the call waits for a person; it is
    // applied again then.
    std::function<std::optional<chat::ToolResult>()> apply;
    // For the audit row of a self-edit: old and new, 500 characters and a SHA-256 of each.
    std::string audit = {};
    chat::Change change = {};  // of a file in the workspace
};
using Planned = std::variant<Plan, chat::ToolResult>;  // a result: nothing is to be done

// Exactly one of `run` and `plan` is set.
struct Tool {
    std::vector<Parameter> parameters = {};
    Class kind = Class::read;
    std::string_view family = {};  // the action is "tool:<family>:<detail>"; its name where unset
    // The detail is what the tool's name adds to that of its family, and the values of these
    // arguments; unless `detail` makes it.
    std::vector<std::string_view> shown = {};
    std::string (*detail)(const Arguments&, const Workplace&) = nullptr;
    chat::ToolResult (*run)(const Arguments&, const Workplace&) = nullptr;
    Planned (*plan)(const Arguments&, const Workplace&) = nullptr;
    // Set by the registry.
    std::string_view name = {};
    std::string_view description = {};  // embedded from <name>.md
};

// Sorted by name.
const std::vector<Tool>& registry();
// `name` may be PersistentAgent, as other programs name spawn_agent.
const Tool* find_tool(std::string_view name);
// The definition sent to the model.
chat::ToolDefinition definition(const Tool& tool);
// Returns "" if every required argument is there with its type, else a message naming the expected
// ones.
std::string check_arguments(const Tool& tool, const Arguments& arguments);
// Returns the pattern of a profile that matches every action of the tool, and no other's.
std::string action_pattern(const Tool& tool);
// Returns what all its actions begin with.
std::string action_prefix(const Tool& tool);
// Plans a call of any tool; one without a plan of its own does everything in `apply`. `arguments`
// and `workplace` must outlive the plan.
Planned plan(const Tool& tool, const Arguments& arguments, const Workplace& workplace);
// "tool:git:commit"
std::string action(const Tool& tool, const Arguments& arguments, const Workplace& workplace);

}  // namespace chorus::tools
