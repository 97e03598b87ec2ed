#include "loopback_said.hpp"

namespace loopback {
namespace {

class Ollama {
  public:
    std::vector<std::string> render(const Said& said, const Asked& asked) {
        model_ = asked.model;
        for (const auto& piece : text_pieces(said.thinking))
            line({{"role", "assistant"}, {"content", ""}, {"thinking", piece}});
        for (const auto& piece : text_pieces(said.text))
            line({{"role", "assistant"}, {"content", piece}});
        use(said);
        if (!said.error.is_null())
            add({{"error", said.error.value("message", "failed")}});
        else if (said.stop != "none")
            finish(said);
        return std::move(lines_);
    }

  private:
    void add(const Json& value) {
        lines_.push_back(with_some_escapes(value.dump(), escape_next_) + "\n");
    }
    void line(const Json& message) {
        add({{"model", model_},
             {"created_at", "2026-11-27T12:00:00.5Z"},
             {"message", message},
             {"done", false}});
    }
    // All calls of an answer come in one message, each whole.
    void use(const Said& said) {
        Json calls = Json::array();
        for (const Call& call : said.calls) {
            const Json arguments = Json::parse(call.arguments, nullptr, false);
            Json function = {{"index", calls.size()}, {"name", call.name}};
            if (arguments.is_discarded())
                function["arguments"] = call.arguments;
            else
                function["arguments"] = arguments;
            calls.push_back({{"id", call.id}, {"function", function}});
        }
        if (!calls.empty()) line({{"role", "assistant"}, {"content", ""}, {"tool_calls", calls}});
    }
    void finish(const Said& said) {
        const std::string word = said.stop == "max_tokens"                       ? "length"
                                 : said.stop == "end" || said.stop == "tool_use" ? "stop"
                                                                                 : said.stop;
        add({{"model", model_},
             {"created_at", "2026-11-27T12:00:01Z"},
             {"message", {{"role", "assistant"}, {"content", ""}}},
             {"done", true},
             {"done_reason", word},
             {"total_duration", 4935886791},
             {"prompt_eval_count", said.usage.input},
             {"eval_count", said.usage.output}});
    }

    std::string model_;
    bool escape_next_ = false;
    std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> render_ollama(const Said& said, const Asked& asked) {
    return Ollama().render(said, asked);
}

}  // namespace loopback
