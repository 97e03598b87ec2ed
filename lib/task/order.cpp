#include "task/order.hpp"

#include "chat/json.hpp"

namespace chorus::task {
namespace {

// Calls `member` for each member that start() hands over, but for the mode of the sandbox and its
// rules.
template <typename Given, typename Member>
void each_member(Given& instructions, const Member& member) {
    member("home", instructions.home);
    member("directory", instructions.directory);
    member("agent_name", instructions.agent_name);
    auto& order = instructions.order;
    member("grace_ms", order.grace_ms);
    member("timeout_ms", order.timeout_ms);
    member("environment", order.environment);
    member("secrets", order.secrets);
    member("program", order.program);
    member("input", order.input);
    auto& about = order.about;
    member("agent", about.agent_id);
    member("turn", about.turn_id);
    member("thread", about.thread_id);
    member("call", about.tool_call_id);
    member("actor", about.actor);
    member("command", about.command);
    member("cwd", about.directory);
    member("on_exit", about.on_exit);
    member("goes_on", about.goes_on);
    member("depth", about.depth);
    member("rights", about.rights);
    auto& sandbox = order.sandbox;
    member("bwrap", sandbox.program);
    member("bash", sandbox.shell);
    member("belongings", sandbox.belongings);
    member("git_settings", sandbox.git_settings);
    member("workspace", sandbox.workspace);
    member("umask", sandbox.umask);
    member("readable", sandbox.readable);
    member("masked", sandbox.masked);
}

chat::Json rules_of(const sys::Sandbox& sandbox) {
    chat::Json all = chat::Json::array();
    for (const sys::PathRules& rules : sandbox.rules) {
        chat::Json& one = all.emplace_back(chat::Json{{"deny", rules.deny}});
        if (rules.read) one["read"] = *rules.read;
        if (rules.write) one["write"] = *rules.write;
    }
    return all;
}

sys::PathRules parse_rules(const chat::Json& object) {
    sys::PathRules rules;
    object.at("deny").get_to(rules.deny);
    if (object.contains("read")) object.at("read").get_to(rules.read.emplace());
    if (object.contains("write")) object.at("write").get_to(rules.write.emplace());
    return rules;
}

}  // namespace

std::string to_cbor(const Instructions& instructions) {
    chat::Json object;
    each_member(instructions, [&](const char* key, const auto& value) { object[key] = value; });
    object["sandbox"] = sys::name(instructions.order.sandbox.mode);
    object["rules"] = rules_of(instructions.order.sandbox);
    const auto bytes = chat::Json::to_cbor(object);
    return {bytes.begin(), bytes.end()};
}

Instructions parse_instructions(std::string_view cbor) {
    const chat::Json object = chat::Json::from_cbor(cbor, true, false);
    if (object.is_discarded()) throw base::Error(base::ErrorCode::internal, "order: not CBOR");
    Instructions instructions;
    each_member(instructions, [&](const char* key, auto& value) { object.at(key).get_to(value); });
    const std::string mode = chat::string_or(object, "sandbox");
    const auto found = sys::sandbox_modes.find(mode);
    if (!found) throw base::Error(base::ErrorCode::internal, "order: unknown sandbox mode " + mode);
    instructions.order.sandbox.mode = *found;
    for (const chat::Json& rules : object.at("rules"))
        instructions.order.sandbox.rules.push_back(parse_rules(rules));
    return instructions;
}

}  // namespace chorus::task
