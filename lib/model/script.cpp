#include "model/script.hpp"

#include <algorithm>
#include <span>

#include "base/number.hpp"
#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "model/conversation.hpp"
#include "model/event_json.hpp"

namespace chorus::model {
namespace {

using chat::Message;
using chat::Role;

constexpr std::string_view introduction =
    "This is builtin/script: no model, no network. Lines that begin with / are tool calls; the "
    "rest is echoed.";
constexpr std::string_view id_prefix = "script_";
constexpr std::string_view name_characters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:";
constexpr std::size_t shown_text_bytes = 4'000;
constexpr std::size_t shown_result_bytes = 2'000;
constexpr std::size_t piece_bytes = 24;

struct Line {
    std::string_view name;  // empty: not a call
    std::string_view rest;
};

struct Script {
    std::vector<Line> calls;
    std::string text;
};

// "/bash make test"; a path such as /etc/passwd is not a call.
Line parse_line(std::string_view line) {
    if (line.empty() || line.front() != '/') return {};
    line.remove_prefix(1);
    const std::size_t length = std::min(line.find_first_not_of(name_characters), line.size());
    const std::string_view rest = line.substr(length);
    const bool ends = rest.empty() || rest.find_first_of(" \t\r") == 0;
    return ends ? Line{line.substr(0, length), base::trim(rest)} : Line{};
}

// A <stdin> block contains data, not calls; it is the last part of the message.
void add_message(Script& script, std::string_view prompt) {
    bool in_data = false;
    for (const std::string_view text : base::split_lines(prompt)) {
        in_data = in_data || text.starts_with("<stdin");
        const Line line = in_data ? Line{} : parse_line(text);
        if (line.name.empty())
            script.text += std::string(text) + "\n";
        else
            script.calls.push_back(line);
    }
}

using Messages = std::span<const Message>;

// Reads all user messages of the turn, including those that arrived while it was running.
Script script_of(Messages turn) {
    Script script;
    for (const Message& message : turn)
        if (message.role == Role::user) add_message(script, message.content);
    return script;
}

// Returns the messages from the newest one that is marked as a turn's first, else from the newest
// of the user.
Messages turn_of(const std::vector<Message>& messages) {
    const auto newest = [&](auto&& fits) {
        return std::find_if(messages.rbegin(), messages.rend(), fits).base();
    };
    auto after = newest([](const Message& m) { return m.role == Role::user && m.starts_turn; });
    if (after == messages.begin())
        after = newest([](const Message& m) { return m.role == Role::user; });
    if (after == messages.begin()) return {};
    return {std::prev(after), messages.end()};
}

std::vector<const chat::ToolCall*> calls_of(Messages messages) {
    std::vector<const chat::ToolCall*> calls;
    for (const Message& message : messages)
        for (const chat::ToolCall& call : message.tool_calls) calls.push_back(&call);
    return calls;
}

// One more than the highest in the window, so that ids are unique in it.
std::string next_id(Messages messages) {
    std::int64_t highest = 0;
    for (const chat::ToolCall* call : calls_of(messages)) {
        std::string_view id = call->id;
        if (!id.starts_with(id_prefix)) continue;
        id.remove_prefix(id_prefix.size());
        const auto number = base::take_number<std::int64_t>(id).value_or(0);
        highest = std::max(highest, std::min<std::int64_t>(number, 1'000'000'000));
    }
    return std::string(id_prefix) + std::to_string(highest + 1);
}

// The argument that bare text sets: the first required one, else the first one.
std::string bare_argument(const Json& schema) {
    const Json& required = member(schema, "required");
    if (required.is_array() && !required.empty()) return std::string(text_of(required.front()));
    const Json& properties = member(schema, "properties");
    return properties.is_object() && !properties.empty() ? properties.begin().key() : std::string();
}

void write_bare(chat::JsonText& out, const Json& parameter, std::string_view text) {
    const std::string_view type = text_of(parameter, "type");
    const bool as_it_is = (type == "integer" || type == "number" || type == "boolean") &&
                          Json::accept(text) && text.front() != '"';
    if (as_it_is)
        out.raw(text);
    else if (type == "array")
        out.begin_array().string(text).end_array();
    else
        out.string(text);
}

std::string arguments_of(const Line& line, const std::vector<chat::ToolDefinition>& tools) {
    if (line.rest.empty()) return "{}";
    if (is_json_object(line.rest)) return std::string(line.rest);
    const auto tool = std::find_if(tools.begin(), tools.end(), [&](const chat::ToolDefinition& t) {
        return t.name == line.name;
    });
    const Json schema = tool == tools.end() ? Json() : parse_event(tool->schema).value_or(Json());
    std::string name = bare_argument(schema);
    if (name.empty()) name = "text";
    chat::JsonText out;
    out.begin_object().any_key(name);
    write_bare(out, member(member(schema, "properties"), name.c_str()), line.rest);
    return out.end_object().take();
}

std::string bounded(std::string_view text, std::size_t bytes) {
    const std::string_view shown = base::utf8_prefix(text, bytes);
    std::string out(shown);
    while (!out.empty() && out.back() == '\n') out.pop_back();
    if (shown.size() < text.size())
        out += "\n[" + std::to_string(text.size() - shown.size()) + " more bytes]";
    return out;
}

std::string result_text(Messages turn, const std::string& id) {
    for (const Message& message : turn)
        if (message.role == Role::tool_result && message.tool_call_id == id)
            return (message.is_error ? "error: " : "") +
                   bounded(message.content, shown_result_bytes);
    return "[no result]";
}

std::string answer_text(Messages turn, const Script& script) {
    std::string text(introduction);
    if (const std::string_view rest = base::trim(script.text); !rest.empty())
        text += "\n\n" + bounded(rest, shown_text_bytes);
    for (const chat::ToolCall* call : calls_of(turn))
        text += "\n\n/" + call->name + " " + bounded(call->arguments, shown_result_bytes) + "\n" +
                result_text(turn, call->id);
    return text + "\n";
}

class ScriptModel final : public Model {
  public:
    Answer ask(const chat::Request& request, const StreamSink& sink,
               const Interruption& interruption) override {
        if (interruption.stop && interruption.stop())
            return no_answer({.message = "builtin: stopped"});
        if (request.model != "script")
            return no_answer({.message = "builtin: no model " + base::quoted(request.model) +
                                         ": only 'script' exists"});
        Answer answer;
        answer.reply = script_reply(request);
        answer.text_was_streamed = !answer.reply.text.empty();
        stream(answer.reply.text, sink);
        return answer;
    }

  private:
    static void stream(std::string_view text, const StreamSink& sink) {
        while (sink.on_text && !text.empty()) {
            const std::string_view piece = base::utf8_prefix(text, piece_bytes);
            sink.on_text(piece);
            text.remove_prefix(piece.size());
        }
    }
};

}  // namespace

chat::Reply script_reply(const chat::Request& request) {
    const Messages turn = turn_of(request.messages);
    const Script script = script_of(turn);
    const std::size_t made = calls_of(turn).size();
    chat::Reply reply;
    if (made < script.calls.size()) {
        const Line& line = script.calls[made];
        reply.tool_calls.push_back(
            {next_id(request.messages), std::string(line.name), arguments_of(line, request.tools)});
        reply.stop = chat::StopReason::tool_use;
        reply.raw_stop = "call";
    } else {
        reply.text = answer_text(turn, script);
        reply.raw_stop = "end";
    }
    return reply;
}

std::unique_ptr<Model> make_script() {
    return std::make_unique<ScriptModel>();
}

}  // namespace chorus::model
