#include "model/ollama.hpp"

#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "model/attachment.hpp"

namespace chorus::model {
namespace {

using chat::JsonText;
using chat::Message;
using chat::Role;

void write_spoken(JsonText& out, std::string_view role, std::string_view text) {
    out.begin_object().member("role", role).member("content", text).end_object();
}

// Own blocks are {"thinking":…} in an array.
void write_spoken_answer(JsonText& out, const Message& message, const Origin& origin) {
    out.begin_object().member("role", "assistant").member("content", message.content);
    if (const std::string_view members = own_members(message, origin); !members.empty())
        out.raw(members);
    if (!message.tool_calls.empty()) {
        out.key("tool_calls").begin_array();
        for (const chat::ToolCall& call : message.tool_calls) {
            out.begin_object().member("id", sendable_name(call.id));
            out.key("function").begin_object().member("name", sendable_name(call.name));
            out.key("arguments").raw(sendable_arguments(call.arguments));
            out.end_object().end_object();
        }
        out.end_array();
    }
    out.end_object();
}

void write_spoken_user(JsonText& out, const chat::Request& request, const Message& message) {
    const std::string text = whole_text(request, message);
    if (text.empty()) return;
    out.begin_object().member("role", "user").member("content", text);
    if (const auto files = sent_files(request, message); !files.empty()) {
        out.key("images").begin_array();
        for (const SentFile& sent : files) out.string(sent.base64);
        out.end_array();
    }
    out.end_object();
}

void write_conversation(JsonText& out, const chat::Request& request, const Origin& origin) {
    CallNames names;
    if (const std::string system = whole_system(request); !system.empty())
        write_spoken(out, "system", system);
    for (const Message* message : in_wire_order(request.messages)) {
        if (message->role == Role::user) {
            write_spoken_user(out, request, *message);
        } else if (message->role == Role::tool_result) {
            out.begin_object().member("role", "tool");
            out.member("tool_name", names.of(*message));
            out.member("tool_call_id", sendable_name(message->tool_call_id));
            out.member("content", message->content).end_object();
        } else if (!says_nothing(*message)) {
            names.add(*message);
            write_spoken_answer(out, *message, origin);
        }
    }
}

// Only some models know levels; the others think or do not.
void write_think(JsonText& out, std::string_view effort) {
    if (effort.empty()) return;
    if (effort == "none" || effort == "false") {
        out.member("think", false);
    } else if (effort == "true") {
        out.member("think", true);
    } else {
        out.member("think", effort);
    }
}

void write_options(JsonText& out, const chat::Request& request, std::int64_t context_tokens) {
    if (context_tokens == 0 && request.max_output_tokens == 0 && !request.temperature) return;
    out.key("options").begin_object();
    if (context_tokens > 0) out.member("num_ctx", context_tokens);
    if (request.max_output_tokens > 0) out.member("num_predict", request.max_output_tokens);
    if (request.temperature) out.key("temperature").real(*request.temperature);
    out.end_object();
}

class OllamaDecoder final : public Decoder {
  public:
    using Decoder::Decoder;
    net::Framing framing() const override { return net::Framing::lines; }

  private:
    void read(const Json& line, std::string_view type, std::string_view data) override;
    bool read_whole(const Json& body, std::string_view text) override;
    std::string assemble(chat::Reply& reply) override;
    void take_calls(const Json& message);

    std::vector<chat::ToolCall> calls_;
    std::string thinking_;
    std::string done_word_;
};

void OllamaDecoder::read(const Json& line, std::string_view, std::string_view data) {
    if (is_complaint(line)) return complain(data);
    const Json& message = member(line, "message");
    if (message.is_object() || line.contains("done")) mark_known();
    if (const std::string_view thought = text_of(message, "thinking"); !thought.empty()) {
        think(thought);
        thinking_ += thought;
    }
    say(text_of(message, "content"));
    take_calls(message);
    if (member(line, "done") != true) return;
    take_larger(usage().input_tokens, line, "prompt_eval_count");
    take_larger(usage().output_tokens, line, "eval_count");
    done_word_ = text_of(line, "done_reason");
    mark_over();
}

void OllamaDecoder::take_calls(const Json& message) {
    for (const Json& call : list_in(message, "tool_calls")) {
        const Json& function = member(call, "function");
        const Json& arguments = member(function, "arguments");
        chat::ToolCall taken{
            std::string(text_of(call, "id")), std::string(text_of(function, "name")),
            arguments.is_object() ? chat::dump(arguments) : std::string(text_of(arguments))};
        constexpr std::size_t call_bytes = 256;
        write(taken.arguments.size() + taken.name.size() + taken.id.size() + call_bytes);
        calls_.push_back(std::move(taken));
    }
}

bool OllamaDecoder::read_whole(const Json& body, std::string_view text) {
    read(body, "", text);
    return is_complete();
}

std::string OllamaDecoder::assemble(chat::Reply& reply) {
    reply.raw_stop = done_word_;
    reply.stop = done_word_ == "length"                       ? chat::StopReason::max_tokens
                 : done_word_ == "stop" || done_word_.empty() ? chat::StopReason::end
                                                              : chat::StopReason::unknown;
    for (const chat::ToolCall& call : calls_) add_call(reply, call.id, call.name, call.arguments);
    // the model is to see what it thought before the results of its calls, and not later
    if (calls_.empty() || thinking_.empty()) return {};
    return "[{\"thinking\":" + chat::quoted(thinking_) + "}]";
}

}  // namespace

std::string ollama_body(const chat::Request& request, const Origin& origin, const Quirks& quirks,
                        std::int64_t context_tokens, std::string_view schema) {
    JsonText out(expected_bytes(request));
    out.begin_object().member("model", request.model).member("stream", true);
    // no message is dropped before the answer, and none during it
    out.member("truncate", false).member("shift", false);
    if (!quirks.keep_alive.empty()) out.member("keep_alive", quirks.keep_alive);
    // with tools, a format would keep the model from calling them
    if (!schema.empty() && request.tools.empty()) out.key("format").raw(schema);
    write_think(out, request.effort);
    write_options(out, request, context_tokens);
    write_function_tools(out, request.tools);
    out.key("messages").begin_array();
    write_conversation(out, request, origin);
    return out.end_array().end_object().take();
}

std::unique_ptr<Decoder> ollama_decoder(const Origin& origin, const StreamSink& sink) {
    return std::make_unique<OllamaDecoder>(origin, sink);
}

}  // namespace chorus::model
