#include <algorithm>
#include <array>
#include <deque>
#include <map>

#include "base/text.hpp"
#include "chat/braces.hpp"
#include "chat/json_text.hpp"
#include "model/openai_chat.hpp"

namespace chorus::model {
namespace {

using chat::JsonText;
using chat::StopReason;

constexpr std::size_t call_cost_bytes = 256;

struct Call {
    std::string id;
    std::string name;
    std::string arguments;
    chat::Braces braces;
    std::string next_id;  // of another call of the same function, used once its arguments arrive
};

// One element of delta.tool_calls.
struct Fragment {
    std::optional<std::int64_t> index;
    std::string_view id;
    std::string_view name;
    std::string arguments;

    explicit Fragment(const Json& json) : index(count_of(json, "index")), id(text_of(json, "id")) {
        const Json& function =
            member(json, "function").is_object() ? member(json, "function") : json;
        name = text_of(function, "name");
        const Json& given = member(function, "arguments");
        arguments = given.is_object() ? chat::dump(given) : std::string(text_of(given));
    }
};

// Some servers repeat a complete call.
bool repeats(const Call& call, const Fragment& fragment) {
    return !call.id.empty() && fragment.id == call.id && fragment.name == call.name &&
           fragment.arguments == call.arguments && call.braces.closed();
}

// Whether a fragment that refers to `call` begins another one: some servers number all calls 0, or
// omit the number.
bool begins_another(const Call& call, const Fragment& fragment) {
    if (repeats(call, fragment)) return false;
    const bool new_id = !fragment.id.empty() && !call.id.empty() && fragment.id != call.id;
    if (!fragment.index && new_id) return true;
    if (!call.next_id.empty() && !fragment.arguments.empty()) return true;
    if (new_id && !fragment.name.empty() && (fragment.name != call.name || call.arguments.empty()))
        return true;
    return !fragment.name.empty() && call.braces.closed() &&
           (!fragment.arguments.empty() || fragment.name != call.name);
}

// Names arrive whole, repeated, or in pieces before the arguments.
void extend_name(Call& call, std::string_view name) {
    if (name.empty() || !call.arguments.empty() || name == call.name) return;
    if (name.substr(0, call.name.size()) == call.name)
        call.name = name;
    else
        call.name += name;
}

// The words of the API and of compatible servers: Mistral, TGI, Cohere, vLLM.
StopReason stop_reason(std::string_view word, bool refused) {
    static constexpr std::array limits{"length", "max_tokens", "model_length"};
    static constexpr std::array calls{"tool_calls", "function_call", "tool_use"};
    static constexpr std::array ends{"",         "stop",       "eos",           "eos_token",
                                     "end_turn", "stop_token", "stop_sequence", "complete",
                                     "completed"};
    const std::string lower = base::to_lower_ascii(word);
    const auto is_in = [&](const auto& words) {
        return std::find(words.begin(), words.end(), lower) != words.end();
    };
    if (is_in(limits)) return StopReason::max_tokens;
    if (lower == "content_filter") return StopReason::content_filter;
    if (!is_in(calls) && !is_in(ends)) return StopReason::unknown;
    if (refused) return StopReason::refusal;
    return is_in(calls) ? StopReason::tool_use : StopReason::end;
}

// The text of `content`: a string, or with some servers an array of parts.
std::string content_text(const Json& content, std::string_view part_type) {
    if (!content.is_array())
        return part_type == "text" ? std::string(text_of(content)) : std::string();
    std::string text;
    for (const Json& part : content) {
        if (text_of(part, "type") != part_type) continue;
        const Json& inner = member(part, part_type == "text" ? "text" : "thinking");
        text += inner.is_array() ? content_text(inner, "text") : std::string(text_of(inner));
    }
    return text;
}

class ChatDecoder final : public Decoder {
  public:
    ChatDecoder(Origin origin, const StreamSink& sink, const Quirks& quirks)
        : Decoder(std::move(origin), sink), quirks_(quirks) {}

  private:
    void read(const Json& event, std::string_view type, std::string_view data) override;
    void read_done() override;
    bool read_whole(const Json& body, std::string_view text) override;
    std::string assemble(chat::Reply& reply) override;

    void take_choices(const Json& data, const char* part, std::string_view text);
    void take_choice(const Json& choice, const char* part, std::string_view data);
    void take_delta(const Json& delta);
    void take_message(const Json& message);
    void take_reasoning(const Json& delta);
    void take_detail(const Json& detail);
    void take_call(const Json& json, std::size_t place);
    bool calls_are_whole() const;
    Call& call_for(const Fragment& fragment, std::size_t place);
    void take_usage(const Json& reported);
    std::string wire() const;

    Quirks quirks_;
    std::deque<Call> calls_;
    std::map<std::int64_t, Call*> by_index_;
    std::string reasoning_;
    Json details_ = Json::array();
    std::string finish_word_;
    bool has_deltas_ = false;
    bool refused_ = false;
};

void ChatDecoder::read(const Json& event, std::string_view, std::string_view data) {
    if (is_complaint(event)) return complain(data);
    take_choices(event, "delta", data);
}

void ChatDecoder::read_done() {
    mark_known();
    const bool has_something = has_text() || !calls_.empty();
    if (is_complete() || (has_something && calls_are_whole())) mark_over();
}

bool ChatDecoder::read_whole(const Json& body, std::string_view text) {
    if (!member(body, "choices").is_array()) return false;
    take_choices(body, "message", text);
    return true;
}

void ChatDecoder::take_choices(const Json& data, const char* part, std::string_view text) {
    const Json& of_groq = member(member(data, "x_groq"), "usage");
    const Json& reported = of_groq.is_object() ? of_groq : member(data, "usage");
    take_usage(reported);
    const Json& choices = member(data, "choices");
    if (choices.is_array() || reported.is_object()) mark_known();
    if (!choices.is_array()) return;
    for (const Json& choice : choices)
        if (count_of(choice, "index").value_or(0) == 0) take_choice(choice, part, text);
    if (is_complete() && reported.is_object()) mark_over();
}

void ChatDecoder::take_choice(const Json& choice, const char* part, std::string_view data) {
    take_usage(member(choice, "usage"));
    const Json& delta = member(choice, part);
    has_deltas_ = has_deltas_ || delta.is_object();
    if (delta.is_object())
        take_delta(delta);
    else if (member(choice, "message").is_object())
        take_message(member(choice, "message"));
    const std::string_view word = text_of(choice, "finish_reason");
    if (word.empty()) return;
    if (word == "error") return complain(data);
    finish_word_ = word;
    mark_complete();
}

void ChatDecoder::take_delta(const Json& delta) {
    take_reasoning(delta);
    say(content_text(member(delta, "content"), "text"));
    const std::string_view refusal = text_of(delta, "refusal");
    refused_ = refused_ || !refusal.empty();
    say(refusal);
    const Json& calls = list_in(delta, "tool_calls");
    for (std::size_t place = 0; place < calls.size(); ++place)
        if (calls[place].is_object()) take_call(calls[place], place);
    if (member(delta, "function_call").is_object()) take_call(member(delta, "function_call"), 0);
}

// Takes a message that a server sends in place of a delta: a piece of the answer, all of it so far,
// or all of it once at the end.
void ChatDecoder::take_message(const Json& message) {
    Json news = message;
    if (!calls_.empty()) news.erase("tool_calls");
    const std::string whole = content_text(member(message, "content"), "text");
    if (whole.starts_with(text()))
        news["content"] = whole.substr(text().size());
    else if (has_deltas_)
        news.erase("content");
    if (has_deltas_)
        for (const char* key : {"reasoning_content", "reasoning"}) news.erase(key);
    take_delta(news);
}

void ChatDecoder::take_reasoning(const Json& delta) {
    std::string thought(text_of(delta, "reasoning_content"));
    if (thought.empty()) thought = text_of(delta, "reasoning");
    if (thought.empty()) thought = content_text(member(delta, "content"), "thinking");
    reasoning_ += thought;
    think(thought);
    if (quirks_.reasoning == ReasoningBack::details)
        for (const Json& detail : list_in(delta, "reasoning_details")) take_detail(detail);
}

// Pieces of one detail arrive as details of the same type and index.
void ChatDecoder::take_detail(const Json& detail) {
    if (!detail.is_object()) return;
    keep(chat::dump(detail).size());
    const bool goes_on = !details_.empty() &&
                         text_of(details_.back(), "type") == text_of(detail, "type") &&
                         count_of(details_.back(), "index") == count_of(detail, "index") &&
                         text_of(detail, "type") != "reasoning.encrypted";
    if (!goes_on) return details_.push_back(detail);
    for (const auto& [key, value] : detail.items()) {
        Json& sum = details_.back()[key];
        const bool is_piece = key == "text" || key == "summary";
        if (is_piece && sum.is_string() && value.is_string())
            sum.get_ref<std::string&>() += value.get_ref<const std::string&>();
        else if (!value.is_null())
            sum = value;
    }
}

void ChatDecoder::take_call(const Json& json, std::size_t place) {
    const Fragment fragment(json);
    Call& call = call_for(fragment, place);
    if (repeats(call, fragment)) return;
    if (call.braces.closed() && fragment.arguments.empty() && fragment.id != call.id &&
        fragment.name == call.name)
        call.next_id = fragment.id;
    if (call.id.empty()) call.id = fragment.id;
    extend_name(call, fragment.name);
    write(fragment.arguments.size());
    call.arguments += fragment.arguments;
    call.braces.follow(fragment.arguments);
}

bool ChatDecoder::calls_are_whole() const {
    return std::all_of(calls_.begin(), calls_.end(), [](const Call& call) {
        return call.arguments.empty() || call.braces.closed();
    });
}

Call& ChatDecoder::call_for(const Fragment& fragment, std::size_t place) {
    Call* call = nullptr;
    if (fragment.index)
        call = by_index_[*fragment.index];
    else if (place == 0 && !calls_.empty())
        call = &calls_.back();
    if (call != nullptr && !begins_another(*call, fragment)) return *call;
    keep(call_cost_bytes);
    Call& next = calls_.emplace_back();
    if (call != nullptr && !call->next_id.empty()) next.id = call->next_id, next.name = call->name;
    if (fragment.index) by_index_[*fragment.index] = &next;
    return next;
}

void ChatDecoder::take_usage(const Json& reported) {
    if (!reported.is_object()) return;
    chat::Usage& sum = usage();
    take_larger(sum.input_tokens, reported, "prompt_tokens");
    take_larger(sum.input_tokens, reported, "input_tokens");
    take_larger(sum.output_tokens, reported, "completion_tokens");
    take_larger(sum.output_tokens, reported, "output_tokens");
    take_larger(sum.cache_read_tokens, reported, "prompt_cache_hit_tokens");
    take_larger(sum.cache_read_tokens, member(reported, "prompt_tokens_details"), "cached_tokens");
    take_larger(sum.reasoning_tokens, member(reported, "completion_tokens_details"),
                "reasoning_tokens");
}

// Returns the reasoning that the server expects back, or "".
std::string ChatDecoder::wire() const {
    JsonText out;
    out.begin_array().begin_object();
    if (quirks_.reasoning == ReasoningBack::details && !details_.empty())
        out.key("reasoning_details").raw(chat::dump(details_));
    else if (quirks_.reasoning == ReasoningBack::content)
        out.member("reasoning_content", reasoning_);
    else
        return {};
    return out.end_object().end_array().take();
}

std::string ChatDecoder::assemble(chat::Reply& reply) {
    reply.raw_stop = finish_word_;
    reply.stop = stop_reason(finish_word_, refused_);
    if (reply.stop == StopReason::refusal || reply.stop == StopReason::content_filter) return {};
    for (const Call& call : calls_) add_call(reply, call.id, call.name, call.arguments);
    return calls_.empty() ? std::string() : wire();
}

}  // namespace

std::unique_ptr<Decoder> chat_decoder(const Origin& origin, const StreamSink& sink,
                                      const Quirks& quirks) {
    return std::make_unique<ChatDecoder>(origin, sink, quirks);
}

}  // namespace chorus::model
