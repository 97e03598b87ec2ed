#include "chat/event.hpp"

#include "chat/dialect.hpp"
#include "chat/json.hpp"
#include "chat/json_text.hpp"

namespace chorus::chat {
namespace {

constexpr std::size_t long_bytes = 64 * 1024;

constexpr base::EnumNames<State, 6> state_names{
    {"submitted", "working", "input-required", "completed", "failed", "canceled"}};

// A long text is not copied each time that the JSON outgrows its memory.
std::size_t expected_bytes(std::size_t longest) {
    return longest < long_bytes ? 0 : longest + longest / 16;
}

// A call's arguments as JSON if they are valid JSON, else as a string.
void add_arguments(JsonText& out, const std::string& arguments) {
    out.key("arguments");
    if (const auto value = try_parse_json(arguments))
        out.raw(dump(*value));
    else
        out.string(arguments);
}

void add_members(JsonText& out, const StatusUpdate& e) {
    out.key("status").begin_object().member("state", name(e.state));
    if (!e.message.empty()) out.member("message", e.message);
    out.end_object().member("final", e.final).key("metadata").begin_object();
    if (!e.reason.empty()) out.member("reason", e.reason);
    if (e.resume_at != 0) out.member("resume_at", base::iso8601(e.resume_at));
    if (!e.result.empty()) out.key("result").raw(e.result);
    out.end_object();
}

void add_members(JsonText& out, const CallEvent& e) {
    out.member("toolCallId", e.call.id).member("tool", e.call.name);
    write_text(out, "action", e.action);
    add_arguments(out, e.call.arguments);
}

void add_members(JsonText& out, const CallComplete& e) {
    out.member("toolCallId", e.id).member("tool", e.tool);
    write_text(out, "action", e.action);
    out.member("outcome", e.outcome).member("result", e.text).member("duration_ms", e.duration_ms);
    write_text(out, "patch", e.change.patch);
}

void add_members(JsonText& out, const RetryNotice& e) {
    out.member("attempt", e.attempt).member("wait_ms", e.wait_ms);
    out.member("category", e.category).member("message", e.message);
}

void add_members(JsonText& out, const CredentialSwitch& e) {
    out.member("provider", e.provider).member("previous", e.previous);
    out.member("profile", e.profile).member("attempt", e.attempt);
}

void add_members(JsonText& out, const ContentDelta& e) {
    out.member("text", e.text);
}
void add_members(JsonText& out, const InternalEvent& e) {
    out.key("data").raw(e.data);
}
void add_members(JsonText&, const TaskEvent&) {}

void add_members(JsonText& out, const MessageEvent& e) {
    out.member("role", name(e.role)).member("messageId", e.id).member("text", e.text);
    write_usage(out, e.usage);
}

void write_artifact(JsonText& out, const Artifact& artifact) {
    out.member("id", artifact.id).member("kind", artifact.kind);
    write_text(out, "name", artifact.name);
    out.member("version", artifact.version).member("size_bytes", artifact.size_bytes);
    out.member("path", artifact.path);
}

void add_members(JsonText& out, const ArtifactUpdate& e) {
    write_artifact(out.key("artifact").begin_object(), e.artifact);
    out.end_object().key("append").boolean(e.append);
    out.key("lastChunk").boolean(true);
}

void add_members(JsonText& out, const Subtask& e) {
    out.member("sub_agent", e.sub_agent).member("preset", e.preset);
    out.member("description", e.description).member("state", name(e.state));
    write_text(out, "action", e.action);
    out.member("tool_calls", e.tool_calls).member("duration_ms", e.duration_ms);
}

void add_members(JsonText& out, const PlanUpdate& e) {
    write_plan(out.key("steps"), e.steps);
}

void add_pending(JsonText& out, const std::vector<PromptNotice>& pending) {
    out.key("pending").begin_array();
    for (const PromptNotice& prompt : pending) {
        write_members(out.begin_object(), prompt);
        out.end_object();
    }
    out.end_array();
}

void add_error(JsonText& out, const TurnResult& result) {
    if (result.error)
        write_error(out, {base::name(result.error->code()), result.error_category,
                          result.error->message(), result.error->hint()});
    else
        out.key("error").null();
}

std::optional<base::Error> parse_error(const Json& error) {
    if (!error.is_object()) return std::nullopt;
    return base::Error(
        base::find_error_code(string_or(error, "code")).value_or(base::ErrorCode::failed),
        string_or(error, "message"), string_or(error, "hint"));
}

Usage parse_usage(const Json& object) {
    const Json& usage = object.at("usage");
    const Json& cost = object.at("cost_usd");
    return {integer_or(usage, "input_tokens"),
            integer_or(usage, "output_tokens"),
            integer_or(usage, "cache_read_tokens"),
            integer_or(usage, "cache_write_tokens"),
            integer_or(usage, "reasoning_tokens"),
            cost.is_number() ? base::micro_usd(cost.get<double>()) : base::unknown_cost};
}

}  // namespace

std::string_view name(State state) {
    return state_names.name(state);
}

bool is_internal(const Event& event) {
    return std::holds_alternative<InternalEvent>(event);
}

std::string to_json(const Event& event, const EventSource& source, base::TimeMs at) {
    const auto* ended = std::get_if<StatusUpdate>(&event);
    const std::size_t longest = ended != nullptr ? ended->result.size() : 0;
    JsonText out = open_object("event", expected_bytes(longest));
    out.member("kind", std::visit([](const auto& e) { return std::string_view(e.kind); }, event));
    out.member("taskId", std::to_string(source.turn_id));
    out.member("contextId", source.agent + "/" + std::to_string(source.thread));
    out.member("timestamp", base::iso8601(at));
    std::visit([&](const auto& e) { add_members(out, e); }, event);
    return out.end_object().take();
}

void write_members(JsonText& out, const PromptNotice& prompt) {
    out.member("id", prompt.id).member("kind", prompt_kinds.name(prompt.kind));
    write_text(out, "tool", prompt.tool);
    write_text(out, "action", prompt.action);
    if (prompt.arguments.empty())
        out.key("arguments").null();
    else
        add_arguments(out, prompt.arguments);
    write_text(out, "text", prompt.text);
    write_texts(out, "options", prompt.options);
    write_time(out, "expires_at", prompt.expires_at);
    write_text(out, "changed", prompt.changed);
}

std::string to_json(const TurnResult& result) {
    JsonText out = open_object("result", expected_bytes(result.text.size()));
    write_text(out, "agent", result.agent);
    out.member("thread", result.thread);
    write_number(out, "turn", result.turn_number, 0);
    write_number(out, "turn_id", result.turn_id, 0);
    out.member("state", name(result.state));
    write_text(out, "reason", result.reason);
    out.member("text", result.text);
    write_json(out, "structured", result.structured);
    write_usage(out, result.usage);
    write_cost(out, result.usage.cost);
    out.key("sub_agents");
    if (const SubAgentsUsed& used = result.sub_agents; used.count > 0) {
        write_usage(out.begin_object().member("count", used.count), used.usage);
        write_cost(out, used.usage.cost);
        out.end_object();
    } else {
        out.null();
    }
    out.member("iterations", result.iterations).member("tool_calls", result.tool_calls);
    out.key("artifacts").begin_array();
    for (const Artifact& artifact : result.artifacts) {
        write_artifact(out.begin_object(), artifact);
        out.end_object();
    }
    out.end_array();
    out.key("work");
    if (const HandedBack& work = result.work; !work.branch.empty() || !work.problem.empty()) {
        out.begin_object();
        write_text(out, "branch", work.branch);
        write_text(out, "problem", work.problem);
        out.end_object();
    } else {
        out.null();
    }
    add_pending(out, result.prompts);
    out.key("accepted");
    result.accepted ? out.boolean(*result.accepted) : out.null();
    out.key("denied").begin_array();
    for (const TurnResult::Denied& denied : result.denied) {
        write_text(out.begin_object(), "action", denied.action);
        write_text(out, "detail", denied.detail);
        out.end_object();
    }
    out.end_array().key("audit");
    if (result.audit_rows == 0)
        out.null();
    else
        out.begin_object()
            .member("rows", result.audit_rows)
            .member("hash", result.audit_hash)
            .end_object();
    add_error(out, result);
    write_json(out, "metadata", result.metadata);
    write_time(out, "resume_at", result.resume_at);
    out.member("replayed", result.replayed);
    return out.member("exit_code", static_cast<int>(result.exit_status)).end_object().take();
}

std::string said_of(const HandedBack& work) {
    std::string said;
    if (!work.branch.empty())
        said = "\n\n[Its changes are the branch " + work.branch + "; nothing is merged]";
    if (!work.problem.empty()) said += "\n\n[Its changes: " + work.problem + "]";
    return said;
}

std::optional<Subtask> parse_subtask(std::string_view json) {
    const Json line = try_parse_json(json).value_or(Json::object());
    if (string_or(line, "kind") != Subtask::kind) return std::nullopt;
    return Subtask{string_or(line, "sub_agent"),
                   string_or(line, "preset"),
                   string_or(line, "description"),
                   state_names.find(string_or(line, "state")).value_or(State::working),
                   string_or(line, "action"),
                   integer_or(line, "tool_calls"),
                   integer_or(line, "duration_ms")};
}

TurnResult parse_result(std::string_view json) {
    const Json object = parse_json(json, "stored result", DuplicateKeys::last_wins, json.size());
    TurnResult result;
    result.agent = string_or(object, "agent");
    result.thread = integer_or(object, "thread", 1);
    result.turn_id = integer_or(object, "turn_id");
    result.turn_number = integer_or(object, "turn");
    result.state = state_names.find(string_or(object, "state")).value_or(State::failed);
    result.reason = string_or(object, "reason");
    result.text = string_or(object, "text");
    if (const Json& structured = object.at("structured"); !structured.is_null())
        result.structured = dump(structured);
    result.iterations = integer_or(object, "iterations");
    result.tool_calls = integer_or(object, "tool_calls");
    for (const Json& artifact : member(object, "artifacts"))
        result.artifacts.push_back({string_or(artifact, "id"), string_or(artifact, "kind"),
                                    string_or(artifact, "name"), integer_or(artifact, "version"),
                                    integer_or(artifact, "size_bytes"),
                                    string_or(artifact, "path")});
    const Json& work = member(object, "work");
    result.work = {string_or(work, "branch"), string_or(work, "problem")};
    result.usage = parse_usage(object);
    if (const Json& used = member(object, "sub_agents"); used.is_object())
        result.sub_agents = {integer_or(used, "count"), parse_usage(used)};
    for (const Json& denied : object.at("denied"))
        result.denied.push_back({string_or(denied, "action"), string_or(denied, "detail")});
    result.audit_rows = integer_or(object.at("audit"), "rows");
    result.audit_hash = string_or(object.at("audit"), "hash");
    result.error = parse_error(object.at("error"));
    result.error_category = string_or(object.at("error"), "category");
    if (const Json& metadata = member(object, "metadata"); metadata.is_object())
        result.metadata = dump(metadata);
    result.exit_status = static_cast<base::ExitStatus>(integer_or(object, "exit_code"));
    return result;
}

}  // namespace chorus::chat
