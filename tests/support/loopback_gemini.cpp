#include "loopback_said.hpp"

namespace loopback {
namespace {

class Gemini {
  public:
    std::vector<std::string> render(const Said& said, const Asked& asked) {
        asked_ = &asked;
        usage_ = &said.usage;
        for (const auto& piece : text_pieces(said.thinking))
            part({{"text", piece}, {"thought", true}});
        for (const auto& piece : text_pieces(said.text)) part({{"text", piece}});
        use(said);
        if (!said.error.is_null())
            events_.data({{"error", said.error}});
        else if (said.stop != "none")
            finish(said);
        return events_.take();
    }

  private:
    void response(const Json& candidate) {
        events_.data({{"candidates", Json::array({candidate})},
                      {"usageMetadata",
                       {{"promptTokenCount", usage_->input},
                        {"candidatesTokenCount", usage_->output},
                        {"cachedContentTokenCount", usage_->cache_read},
                        {"totalTokenCount", usage_->input + usage_->output}}},
                      {"modelVersion", asked_->model},
                      {"responseId", "resp-" + std::to_string(asked_->number)}});
    }
    static Json content(const Json& parts) { return {{"role", "model"}, {"parts", parts}}; }
    void part(const Json& value) {
        response({{"index", 0}, {"content", content(Json::array({value}))}});
    }
    // Only the first of parallel calls carries the signature.
    void use(const Said& said) {
        for (std::size_t i = 0; i < said.calls.size(); ++i) {
            const Call& call = said.calls[i];
            const Json arguments = Json::parse(call.arguments, nullptr, false);
            Json value = {{"functionCall",
                           {{"id", call.id},
                            {"name", call.name},
                            {"args", arguments.is_discarded() ? Json::object() : arguments}}}};
            if (i == 0 && !said.signature.empty()) value["thoughtSignature"] = said.signature;
            part(value);
        }
    }
    void finish(const Said& said) {
        Json last = {{"text", ""}};
        if (said.calls.empty() && !said.signature.empty())
            last["thoughtSignature"] = said.signature;
        response({{"index", 0},
                  {"content", content(Json::array({last}))},
                  {"finishReason", said.stop == "max_tokens" ? "MAX_TOKENS"
                                   : said.stop == "refusal"  ? "SAFETY"
                                                             : "STOP"}});
    }

    Events events_{"\r\n"};
    const Asked* asked_ = nullptr;
    const Usage* usage_ = nullptr;
};

}  // namespace

std::vector<std::string> render_gemini(const Said& said, const Asked& asked) {
    return Gemini().render(said, asked);
}

}  // namespace loopback
