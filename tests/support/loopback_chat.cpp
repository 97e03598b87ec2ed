#include <algorithm>

#include "loopback_said.hpp"

namespace loopback {
namespace {

class Chat {
  public:
    std::vector<std::string> render(const Said& said, const Asked& asked) {
        asked_ = &asked;
        delta({{"role", "assistant"}, {"content", ""}});
        for (const auto& piece : text_pieces(said.thinking)) delta({{"reasoning_content", piece}});
        for (const auto& piece : text_pieces(said.text)) delta({{"content", piece}});
        use(said.calls);
        finish(said);
        return events_.take();
    }

  private:
    Json chunk(const Json& choices) const {
        return {{"id", "chatcmpl-" + std::to_string(asked_->number)},
                {"object", "chat.completion.chunk"},
                {"created", 1795000000},
                {"model", asked_->model},
                {"choices", choices}};
    }
    void delta(const Json& value, const Json& finish_reason = nullptr) {
        events_.data(chunk(
            Json::array({{{"index", 0}, {"delta", value}, {"finish_reason", finish_reason}}})));
    }
    void call_delta(std::size_t index, const Json& members) {
        Json call = {{"index", index}};
        call.update(members);
        delta({{"tool_calls", Json::array({call})}});
    }
    // All begin, then their fragments come in turn.
    void use(const std::vector<Call>& calls) {
        std::vector<std::vector<std::string>> fragments;
        std::size_t longest = 0;
        for (std::size_t i = 0; i < calls.size(); ++i) {
            call_delta(i, {{"id", calls[i].id},
                           {"type", "function"},
                           {"function", {{"name", calls[i].name}, {"arguments", ""}}}});
            fragments.push_back(argument_pieces(calls[i].arguments));
            longest = std::max(longest, fragments.back().size());
        }
        for (std::size_t round = 0; round < longest; ++round)
            for (std::size_t i = 0; i < calls.size(); ++i)
                if (round < fragments[i].size())
                    call_delta(i, {{"function", {{"arguments", fragments[i][round]}}}});
    }
    void finish(const Said& said) {
        if (!said.error.is_null()) return events_.data({{"error", said.error}});
        if (said.stop == "none") return;
        delta(Json::object(), said.stop == "tool_use"     ? "tool_calls"
                              : said.stop == "max_tokens" ? "length"
                              : said.stop == "refusal"    ? "content_filter"
                              : said.stop == "end"        ? "stop"
                                                          : said.stop);
        if (asked_->wants_usage) {
            Json last = chunk(Json::array());
            last["usage"] = {{"prompt_tokens", said.usage.input},
                             {"completion_tokens", said.usage.output},
                             {"total_tokens", said.usage.input + said.usage.output},
                             {"prompt_tokens_details", {{"cached_tokens", said.usage.cache_read}}}};
            events_.data(last);
        }
        events_.raw("[DONE]");
    }

    Events events_;
    const Asked* asked_ = nullptr;
};

}  // namespace

std::vector<std::string> render_chat(const Said& said, const Asked& asked) {
    return Chat().render(said, asked);
}

}  // namespace loopback
