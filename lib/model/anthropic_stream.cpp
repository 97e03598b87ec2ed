#include <map>

#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "model/anthropic.hpp"

namespace chorus::model {
namespace {

using chat::JsonText;
using chat::StopReason;

constexpr std::size_t block_cost_bytes = 256;

// One content block. `start` is the block as announced, including fields that are unknown here.
struct Block {
    Json start;
    std::string type;
    std::string text;  // of text and thinking
    std::string signature;
    std::string arguments;  // fragments of `input`

    bool is_thinking() const { return type == "thinking" || type == "redacted_thinking"; }
    bool has_input() const { return type == "tool_use" || !arguments.empty(); }
};

StopReason stop_reason(std::string_view word) {
    if (word == "tool_use") return StopReason::tool_use;
    if (word == "max_tokens") return StopReason::max_tokens;
    if (word == "pause_turn") return StopReason::pause;
    if (word == "refusal") return StopReason::refusal;
    if (word == "model_context_window_exceeded") return StopReason::context_overflow;
    const bool is_end = word.empty() || word == "end_turn" || word == "stop_sequence";
    return is_end ? StopReason::end : StopReason::unknown;
}

// Returns the input as the model wrote it: from fragments or, with some servers, from the block's
// start.
std::string arguments_of(const Block& block) {
    const Json& input = member(block.start, "input");
    const bool is_blank = block.arguments.find_first_not_of(" \t\r\n") == std::string::npos;
    return is_blank && input.is_object() ? chat::dump(input) : block.arguments;
}

// The API refuses blank text, and thinking that was cut before its signature.
bool goes_back(const Block& block) {
    if (block.type == "text") return !base::trim(block.text).empty();
    if (block.type == "thinking") return !block.signature.empty();
    return true;
}

void write_block(JsonText& out, const Block& block) {
    Json fields = block.start;
    if (block.type == "text") fields["text"] = block.text;
    if (block.type == "thinking") fields["thinking"] = block.text;
    if (block.type == "thinking") fields["signature"] = block.signature;
    if (block.has_input()) fields["input"] = nullptr;
    out.begin_object();
    for (const auto& [key, value] : fields.items()) {
        if (key == "input" && block.has_input())
            out.any_key(key).raw(sendable_arguments(arguments_of(block)));
        else if (!value.is_null())
            out.any_key(key).raw(chat::dump(value));
    }
    out.end_object();
}

class AnthropicDecoder final : public Decoder {
  public:
    using Decoder::Decoder;

  private:
    void read(const Json& event, std::string_view type, std::string_view data) override;
    bool read_whole(const Json& body, std::string_view text) override;
    std::string assemble(chat::Reply& reply) override;

    void start_block(const Json& content, std::optional<std::int64_t> index, std::size_t bytes);
    void extend_block(const Json& event);
    void extend(Block& block, const Json& delta);
    void say_in_block(Block& block, std::string_view text);
    void take_usage(const Json& usage);
    Block* block_at(const Json& event);
    std::string wire();

    std::vector<Block> blocks_;
    std::map<std::int64_t, std::size_t> place_of_;  // by index, which some servers give twice
    bool separate_ = false;                         // another block came between two texts
    std::string stop_word_;
    std::int64_t fresh_input_ = 0;
};

void AnthropicDecoder::read(const Json& event, std::string_view type, std::string_view data) {
    if (type.starts_with("message_") || type.starts_with("content_block_") || type == "ping")
        mark_known();
    if (type == "error" || is_complaint(event)) {
        complain(data);
    } else if (type == "message_start") {
        take_usage(member(member(event, "message"), "usage"));
    } else if (type == "content_block_start") {
        start_block(member(event, "content_block"), count_of(event, "index"), data.size());
    } else if (type == "content_block_delta") {
        extend_block(event);
    } else if (type == "message_delta") {
        take_usage(member(event, "usage"));
        const std::string_view word = text_of(member(event, "delta"), "stop_reason");
        if (word.empty()) return;
        stop_word_ = word;
        mark_complete();
    } else if (type == "message_stop") {
        take_usage(member(event, "usage"));
        mark_over();
    }
}

bool AnthropicDecoder::read_whole(const Json& body, std::string_view) {
    const Json& content = member(body, "content");
    if (!content.is_array()) return false;
    for (const Json& block : content) start_block(block, std::nullopt, chat::dump(block).size());
    stop_word_ = text_of(body, "stop_reason");
    take_usage(member(body, "usage"));
    return true;
}

void AnthropicDecoder::start_block(const Json& content, std::optional<std::int64_t> index,
                                   std::size_t bytes) {
    if (!content.is_object()) return;
    if (index) place_of_[*index] = blocks_.size();
    Block& block = blocks_.emplace_back();
    block.start = content;
    block.type = text_of(content, "type");
    keep(block_cost_bytes + bytes);
    if (block.type != "text") separate_ = has_text();
    if (block.type == "text") say_in_block(block, text_of(content, "text"));
    if (block.type == "tool_use") write(0);
    if (block.is_thinking()) pause();
    block.signature = text_of(content, "signature");
    if (block.type != "thinking") return;
    block.text = text_of(content, "thinking");
    think(block.text);
}

void AnthropicDecoder::extend_block(const Json& event) {
    const Json& delta = member(event, "delta");
    // some servers do not send the start of a block
    for (const char* type : {"text", "thinking"})
        if (!block_at(event) && text_of(delta, "type") == type + std::string("_delta"))
            start_block({{"type", type}}, count_of(event, "index"), 0);
    if (Block* block = block_at(event)) extend(*block, delta);
}

void AnthropicDecoder::extend(Block& block, const Json& delta) {
    const std::string_view type = text_of(delta, "type");
    if (type == "text_delta") {
        say_in_block(block, text_of(delta, "text"));
    } else if (type == "thinking_delta") {
        const std::string_view thought = text_of(delta, "thinking");
        block.text += thought;
        think(thought);
    } else if (type == "signature_delta") {
        keep(text_of(delta, "signature").size());
        block.signature += text_of(delta, "signature");
    } else if (type == "input_json_delta") {
        write(text_of(delta, "partial_json").size());
        block.arguments += text_of(delta, "partial_json");
    } else if (type == "citations_delta") {
        Json& citations = block.start["citations"];
        if (!citations.is_array()) citations = Json::array();
        citations.push_back(member(delta, "citation"));
        keep(chat::dump(citations.back()).size() + block_cost_bytes);
    }
}

void AnthropicDecoder::say_in_block(Block& block, std::string_view text) {
    if (text.empty()) return;
    if (separate_) say("\n\n");
    separate_ = false;
    block.text += text;
    say(text);
}

// The counts are cumulative; some servers report 0 after an earlier count.
void AnthropicDecoder::take_usage(const Json& reported) {
    chat::Usage& sum = usage();
    take_larger(fresh_input_, reported, "input_tokens");
    take_larger(sum.cache_write_tokens, reported, "cache_creation_input_tokens");
    take_larger(sum.cache_read_tokens, reported, "cache_read_input_tokens");
    take_larger(sum.output_tokens, reported, "output_tokens");
    sum.input_tokens = fresh_input_ + sum.cache_write_tokens + sum.cache_read_tokens;
}

Block* AnthropicDecoder::block_at(const Json& event) {
    if (blocks_.empty()) return nullptr;
    const std::optional<std::int64_t> index = count_of(event, "index");
    if (!index) return &blocks_.back();
    const auto found = place_of_.find(*index);
    return found == place_of_.end() ? nullptr : &blocks_[found->second];
}

// Returns "" if there is nothing to send back. The API refuses an answer that ends in thinking.
std::string AnthropicDecoder::wire() {
    auto end = blocks_.end();
    while (end != blocks_.begin() && (std::prev(end)->is_thinking() || !goes_back(*std::prev(end))))
        --end;
    if (end == blocks_.begin()) return {};
    // after a pause the answer is the last message of the next request, which may not end in blanks
    std::string& last = std::prev(end)->text;
    last.resize(base::trim_end(last).size());
    JsonText out;
    out.begin_array();
    for (auto at = blocks_.begin(); at != end; ++at)
        if (goes_back(*at)) write_block(out, *at);
    return out.end_array().take();
}

std::string AnthropicDecoder::assemble(chat::Reply& reply) {
    reply.raw_stop = stop_word_;
    reply.stop = stop_reason(stop_word_);
    // the answer used up the rest of the context
    if (reply.stop == StopReason::context_overflow && !blocks_.empty())
        reply.stop = StopReason::max_tokens;
    // a refused answer is neither sent back nor executed
    if (reply.stop == StopReason::refusal) return {};
    for (Block& block : blocks_) {
        if (block.type != "tool_use") continue;
        const std::string name(text_of(block.start, "name"));
        block.start["id"] = add_call(reply, text_of(block.start, "id"), name, arguments_of(block));
        block.start["name"] = sendable_name(name);
    }
    return wire();
}

}  // namespace

std::unique_ptr<Decoder> anthropic_decoder(const Origin& origin, const StreamSink& sink) {
    return std::make_unique<AnthropicDecoder>(origin, sink);
}

}  // namespace chorus::model
