#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "model/gemini.hpp"

namespace chorus::model {
namespace {

using chat::StopReason;

StopReason stop_of_gemini(std::string_view word) {
    static constexpr std::array limits{"MAX_TOKENS", "CONTINUATION"};
    static constexpr std::array filters{"SAFETY",      "RECITATION",         "BLOCKLIST",
                                        "SPII",        "PROHIBITED_CONTENT", "LANGUAGE",
                                        "IMAGE_SAFETY"};
    const auto is_in = [&](const auto& words) {
        return std::find(words.begin(), words.end(), word) != words.end();
    };
    // compatible servers end an answer with calls by FUNCTION_CALL
    if (word == "STOP" || word == "FUNCTION_CALL") return StopReason::end;
    if (is_in(limits)) return StopReason::max_tokens;
    return is_in(filters) ? StopReason::content_filter : StopReason::unknown;
}

class GeminiDecoder final : public Decoder {
  public:
    using Decoder::Decoder;

  private:
    void read(const Json& event, std::string_view type, std::string_view data) override;
    bool read_whole(const Json& body, std::string_view text) override;
    std::string assemble(chat::Reply& reply) override;

    void take_candidate(const Json& candidate);
    void take_part(const Json& part);
    void keep_part(const Json& part);
    void take_usage(const Json& reported);

    Json parts_ = Json::array();
    std::string finish_word_;
};

void GeminiDecoder::read(const Json& event, std::string_view, std::string_view data) {
    if (is_complaint(event)) return complain(data);
    take_usage(member(event, "usageMetadata"));
    if (event.contains("candidates") || event.contains("usageMetadata")) mark_known();
    for (const Json& candidate : list_in(event, "candidates"))
        if (count_of(candidate, "index").value_or(0) == 0) take_candidate(candidate);
    // a prompt that a filter has stopped has no candidates
    if (const auto why = text_of(member(event, "promptFeedback"), "blockReason"); !why.empty()) {
        finish_word_ = "SAFETY";
        mark_known();
        mark_complete();
    }
    if (is_complete() && member(event, "usageMetadata").is_object()) mark_over();
}

// Without alt=sse, the answer is one array of what would have been events.
bool GeminiDecoder::read_whole(const Json& body, std::string_view text) {
    if (body.is_array()) {
        for (const Json& event : body)
            if (event.is_object()) read(event, "", text);
        return is_complete();
    }
    if (!body.contains("candidates") && !body.contains("promptFeedback")) return false;
    read(body, "", text);
    return is_complete();
}

void GeminiDecoder::take_candidate(const Json& candidate) {
    for (const Json& part : list_in(member(candidate, "content"), "parts"))
        if (part.is_object()) take_part(part);
    if (const std::string_view word = text_of(candidate, "finishReason"); !word.empty()) {
        finish_word_ = word;
        mark_complete();
    }
}

void GeminiDecoder::take_part(const Json& part) {
    const std::string_view text = text_of(part, "text");
    const bool is_thought = member(part, "thought") == true;
    if (member(part, "functionCall").is_object())
        write(chat::dump(part).size());
    else if (is_thought)
        think(text);
    else
        say(text);
    keep_part(part);
}

// Parts go back as they came, but for what a model thought, which nobody needs, and pieces of one
// text, which are joined. A part with a signature is neither.
void GeminiDecoder::keep_part(const Json& part) {
    const auto is_plain = [](const Json& one) {
        return one.size() == 1 && one.contains("text") && one["text"].is_string();
    };
    if (!part.contains("thoughtSignature") && member(part, "thought") == true) return;
    if (is_plain(part) && text_of(part, "text").empty()) return;
    if (is_plain(part) && !parts_.empty() && is_plain(parts_.back())) {
        parts_.back()["text"].get_ref<std::string&>() += text_of(part, "text");
        return;
    }
    // a text is counted as it is said, a call as it is written
    if (!is_plain(part) && !member(part, "functionCall").is_object()) keep(chat::dump(part).size());
    parts_.push_back(part);
}

void GeminiDecoder::take_usage(const Json& reported) {
    if (!reported.is_object()) return;
    chat::Usage& sum = usage();
    take_larger(sum.input_tokens, reported, "promptTokenCount");
    take_larger(sum.cache_read_tokens, reported, "cachedContentTokenCount");
    take_larger(sum.reasoning_tokens, reported, "thoughtsTokenCount");
    sum.output_tokens =
        std::max(sum.output_tokens,
                 count_of(reported, "candidatesTokenCount").value_or(0) + sum.reasoning_tokens);
}

std::string GeminiDecoder::assemble(chat::Reply& reply) {
    reply.raw_stop = finish_word_;
    reply.stop = stop_of_gemini(finish_word_);
    if (reply.stop == StopReason::content_filter) return {};
    for (Json& part : parts_) {
        if (!member(part, "functionCall").is_object()) continue;
        const Json& call = part["functionCall"];
        const Json& arguments = member(call, "args");
        const std::string id = add_call(reply, text_of(call, "id"), text_of(call, "name"),
                                        arguments.is_object() ? chat::dump(arguments) : "{}");
        // a result names its call by id, which some servers leave out
        part["functionCall"]["id"] = id;
    }
    return parts_.empty() ? std::string() : chat::dump(parts_);
}

}  // namespace

std::unique_ptr<Decoder> gemini_decoder(const Origin& origin, const StreamSink& sink) {
    return std::make_unique<GeminiDecoder>(origin, sink);
}

}  // namespace chorus::model
