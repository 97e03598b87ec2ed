// What holds for the answer that any dialect's decoder makes of any stream.
#pragma once

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "fuzz/property.hpp"
#include "unit/model/streams.hpp"

namespace chorus::fuzz {

struct Dialect {
    model::Origin origin;
    model::MakeDecoder decoder;
    std::string (*body)(const chat::Request&, const model::Origin&);
};

// Ids that were made up differ from run to run.
inline std::string without_made_up_ids(std::string text) {
    static constexpr std::string_view mark = "call_";
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += mark.size()) {
        std::size_t end = at + mark.size();
        while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
        text.erase(at + mark.size(), end - at - mark.size());
    }
    return text;
}

inline std::string summary(const model::Answer& answer) {
    const chat::Reply& reply = answer.reply;
    std::string all = reply.text + "\n" + std::to_string(static_cast<int>(reply.stop)) + " " +
                      reply.raw_stop + "\n";
    for (const chat::ToolCall& call : reply.tool_calls)
        all += call.id + " " + call.name + " " + call.arguments + "\n";
    if (reply.opaque) all += reply.opaque->wire + "\n";
    for (const std::int64_t count : {reply.usage.input_tokens, reply.usage.output_tokens,
                                     reply.usage.cache_read_tokens, reply.usage.cache_write_tokens})
        all += std::to_string(count) + " ";
    if (answer.failure) all += "failed: " + answer.failure->message;
    return without_made_up_ids(std::move(all));
}

inline void check_calls(const chat::Reply& reply) {
    std::set<std::string> ids;
    for (const chat::ToolCall& call : reply.tool_calls) {
        require(!call.id.empty(), "a call has an id");
        require(ids.insert(call.id).second, "no two calls of an answer have the same id", call.id);
        require(!call.arguments.empty(), "a call's arguments are not empty text");
        require(is_utf8(call.id + call.name + call.arguments), "a call is UTF-8", call.arguments);
    }
}

inline void check_answer(const model::Answer& answer, const model::Heard& heard) {
    const chat::Reply& reply = answer.reply;
    require_equal("what streamed is the answer's text", heard.text, reply.text);
    for (const std::string& piece : heard.pieces)
        require(is_utf8(piece), "each piece of the text is UTF-8", piece);
    require(answer.text_was_streamed == !heard.text.empty(), "whether text was streamed is told");
    require(is_utf8(reply.raw_stop), "the stop word is UTF-8", reply.raw_stop);
    const chat::Usage& usage = reply.usage;
    require(usage.input_tokens >= 0 && usage.output_tokens >= 0 && usage.cache_read_tokens >= 0 &&
                usage.cache_write_tokens >= 0,
            "no count of tokens is negative");
    const bool is_cut = reply.stop == chat::StopReason::truncated_stream;
    require(is_cut == answer.failure.has_value(), "an answer is whole, or its failure is told");
    if (answer.failure) {
        require(reply.tool_calls.empty(), "a broken answer has no calls");
        require(!answer.failure->message.empty(), "a failure has a message");
        require(is_utf8(answer.failure->message), "a failure's message is UTF-8");
    }
    check_calls(reply);
}

// Whatever a server answered, the next request is JSON, for that server and for another.
inline void check_next_request(const Dialect& dialect, const chat::Reply& reply) {
    chat::Request request{.model = dialect.origin.model, .system = "s", .messages = {}};
    chat::Message question{.role = chat::Role::user, .content = "q"};
    chat::Message answer{.role = chat::Role::assistant, .content = reply.text};
    answer.tool_calls = reply.tool_calls;
    answer.opaque = reply.opaque;
    request.messages = {question, answer};
    for (const chat::ToolCall& call : reply.tool_calls)
        request.messages.push_back(
            {.role = chat::Role::tool_result, .content = "r", .tool_call_id = call.id});
    request.messages.push_back(question);
    for (const model::Origin& to : {dialect.origin, model::Origin{"elsewhere", "other"}}) {
        const std::string body = dialect.body(request, to);
        require(nlohmann::json::accept(body), "the next request is JSON", body);
    }
}

inline void check_stream(const Dialect& dialect, std::string_view stream) {
    model::Heard heard;
    const auto decoder = dialect.decoder(heard.sink);
    const model::Answer whole = model::feed(*decoder, stream, stream.size(), stream.size());
    check_answer(whole, heard);
    if (!whole.failure) check_next_request(dialect, whole.reply);

    const std::size_t split = std::max<std::size_t>(place_in(stream), 1);
    for (const auto& [first, step] : {std::pair{split, stream.size()}, std::pair{split, split}}) {
        model::Heard again;
        const auto other = dialect.decoder(again.sink);
        const model::Answer pieces = model::feed(*other, stream, first, step);
        require_equal("an answer in pieces is the same", summary(whole), summary(pieces));
        require_equal("thinking in pieces is the same", heard.thinking, again.thinking);
    }
}

}  // namespace chorus::fuzz
