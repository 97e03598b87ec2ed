#include "task/order.hpp"

#include "chat/json.hpp"
#include "chat/json_text.hpp"

namespace chorus::task {
namespace {

void write_list(chat::JsonText& out, std::string_view key, const std::vector<std::string>& list) {
    out.key(key).begin_array();
    for (const std::string& one : list) out.string(one);
    out.end_array();
}

std::vector<std::string> read_list(const chat::Json& object, const char* key) {
    return object.at(key).get<std::vector<std::string>>();
}

void write_about(chat::JsonText& out, const store::Task& task) {
    out.key("agent").number(task.agent_id);
    out.key("turn").number(task.turn_id);
    out.key("thread").number(task.thread_id);
    out.key("call").string(task.tool_call_id);
    out.key("actor").string(task.actor);
    out.key("command").string(task.command);
    out.key("cwd").string(task.directory);
    out.key("on_exit").string(task.on_exit);
    out.key("goes_on").number(task.goes_on ? 1 : 0);
    out.key("depth").number(task.depth);
    out.key("rights").string(task.rights);
}

store::Task read_about(const chat::Json& object) {
    store::Task task;
    task.agent_id = chat::integer_or(object, "agent");
    task.turn_id = chat::integer_or(object, "turn");
    task.thread_id = chat::integer_or(object, "thread");
    task.tool_call_id = chat::string_or(object, "call");
    task.actor = chat::string_or(object, "actor");
    task.command = chat::string_or(object, "command");
    task.directory = chat::string_or(object, "cwd");
    task.on_exit = chat::string_or(object, "on_exit");
    task.goes_on = chat::integer_or(object, "goes_on") != 0;
    task.depth = chat::integer_or(object, "depth");
    task.rights = chat::string_or(object, "rights");
    return task;
}

}  // namespace

std::string to_json(const Instructions& instructions) {
    const Order& order = instructions.order;
    chat::JsonText out;
    out.begin_object();
    out.key("home").string(instructions.home);
    out.key("directory").string(instructions.directory);
    out.key("agent_name").string(instructions.agent_name);
    out.key("grace_ms").number(order.grace_ms);
    out.key("timeout_ms").number(order.timeout_ms);
    write_about(out, order.about);
    write_list(out, "environment", order.environment);
    write_list(out, "secrets", order.secrets);
    out.key("sandbox").string(sys::name(order.sandbox.mode));
    out.key("bwrap").string(order.sandbox.program);
    out.key("bash").string(order.sandbox.shell);
    out.key("belongings").string(order.sandbox.belongings);
    out.key("git_settings").string(order.sandbox.git_settings);
    out.key("workspace").string(order.sandbox.workspace);
    out.key("umask").number(order.sandbox.umask);
    out.key("readable").begin_object();
    for (const auto& [path, real] : order.sandbox.readable) out.key(path).string(real);
    out.end_object();
    write_list(out, "masked", order.sandbox.masked);
    return out.end_object().take();
}

Instructions parse_instructions(std::string_view json) {
    const chat::Json object = chat::parse_json(json, "order");
    Instructions instructions;
    instructions.home = chat::string_or(object, "home");
    instructions.directory = chat::string_or(object, "directory");
    instructions.agent_name = chat::string_or(object, "agent_name");
    Order& order = instructions.order;
    order.timeout_ms = chat::integer_or(object, "timeout_ms");
    order.grace_ms = chat::integer_or(object, "grace_ms");
    order.about = read_about(object);
    order.environment = read_list(object, "environment");
    order.secrets = read_list(object, "secrets");
    const std::string mode = chat::string_or(object, "sandbox");
    if (!sys::parse_sandbox_mode(mode, order.sandbox.mode))
        throw base::Error(base::ErrorCode::internal, "order: unknown sandbox mode " + mode);
    order.sandbox.program = chat::string_or(object, "bwrap");
    order.sandbox.shell = chat::string_or(object, "bash");
    order.sandbox.belongings = chat::string_or(object, "belongings");
    order.sandbox.git_settings = chat::string_or(object, "git_settings");
    order.sandbox.workspace = chat::string_or(object, "workspace");
    order.sandbox.umask =
        static_cast<unsigned>(chat::integer_or(object, "umask", sys::private_umask));
    order.sandbox.readable = object.at("readable").get<std::map<std::string, std::string>>();
    order.sandbox.masked = read_list(object, "masked");
    return instructions;
}

}  // namespace chorus::task
