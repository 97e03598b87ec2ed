#include "task/order.hpp"

#include "chat/json.hpp"

namespace chorus::task {
namespace {

class Writer {
  public:
    template <typename Value>
    void operator()(const char* key, const Value& value) {
        object_[key] = value;
    }
    void operator()(const char* key, sys::SandboxMode mode) { object_[key] = sys::name(mode); }

    std::string text() const { return chat::dump(object_); }

  private:
    chat::Json object_ = chat::Json::object();
};

class Reader {
  public:
    explicit Reader(std::string_view json) : object_(chat::parse_json(json, "order")) {}

    template <typename Value>
    void operator()(const char* key, Value& value) {
        object_.at(key).get_to(value);
    }
    void operator()(const char* key, sys::SandboxMode& mode) {
        const std::string name = chat::string_or(object_, key);
        const auto found = sys::sandbox_modes.find(name);
        if (!found)
            throw base::Error(base::ErrorCode::internal, "order: unknown sandbox mode " + name);
        mode = *found;
    }

  private:
    chat::Json object_;
};

// Calls `member` for each member that start() hands over.
template <typename Member, typename Given>
void each_member(Member& member, Given& instructions) {
    member("home", instructions.home);
    member("directory", instructions.directory);
    member("agent_name", instructions.agent_name);
    auto& order = instructions.order;
    member("grace_ms", order.grace_ms);
    member("timeout_ms", order.timeout_ms);
    member("environment", order.environment);
    member("secrets", order.secrets);
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
    member("sandbox", sandbox.mode);
    member("bwrap", sandbox.program);
    member("bash", sandbox.shell);
    member("belongings", sandbox.belongings);
    member("git_settings", sandbox.git_settings);
    member("workspace", sandbox.workspace);
    member("umask", sandbox.umask);
    member("readable", sandbox.readable);
    member("masked", sandbox.masked);
}

}  // namespace

std::string to_json(const Instructions& instructions) {
    Writer writer;
    each_member(writer, instructions);
    return writer.text();
}

Instructions parse_instructions(std::string_view json) {
    Reader reader(json);
    Instructions instructions;
    each_member(reader, instructions);
    return instructions;
}

}  // namespace chorus::task
