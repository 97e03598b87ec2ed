#include <utility>

#include "loopback_said.hpp"

namespace loopback {
namespace {

class Anthropic {
  public:
    std::vector<std::string> render(const Said& said, const Asked& asked) {
        start(said.usage, asked);
        if (!said.thinking.empty() || !said.signature.empty()) think(said);
        if (!said.text.empty()) {
            open({{"type", "text"}, {"text", ""}});
            for (const auto& piece : text_pieces(said.text))
                delta({{"type", "text_delta"}, {"text", piece}});
            close();
        }
        for (const Call& call : said.calls) use(call);
        finish(said);
        return events_.take();
    }

  private:
    void start(const Usage& usage, const Asked& asked) {
        events_.typed({{"type", "message_start"},
                       {"message",
                        {{"id", "msg_" + std::to_string(asked.number)},
                         {"type", "message"},
                         {"role", "assistant"},
                         {"content", Json::array()},
                         {"model", asked.model},
                         {"stop_reason", nullptr},
                         {"stop_sequence", nullptr},
                         {"usage",
                          {{"input_tokens", usage.input - usage.cache_read - usage.cache_write},
                           {"cache_creation_input_tokens", usage.cache_write},
                           {"cache_read_input_tokens", usage.cache_read},
                           {"output_tokens", 1}}}}}});
        events_.typed({{"type", "ping"}});
    }
    void think(const Said& said) {
        open({{"type", "thinking"}, {"thinking", ""}, {"signature", ""}});
        for (const auto& piece : text_pieces(said.thinking))
            delta({{"type", "thinking_delta"}, {"thinking", piece}});
        delta({{"type", "signature_delta"}, {"signature", said.signature}});
        close();
        events_.typed({{"type", "ping"}});
    }
    void use(const Call& call) {
        open({{"type", "tool_use"},
              {"id", call.id},
              {"name", call.name},
              {"input", Json::object()}});
        delta({{"type", "input_json_delta"}, {"partial_json", ""}});
        for (const auto& piece : argument_pieces(call.arguments))
            delta({{"type", "input_json_delta"}, {"partial_json", piece}});
        close();
    }
    void finish(const Said& said) {
        if (!said.error.is_null()) return events_.typed({{"type", "error"}, {"error", said.error}});
        if (said.stop == "none") return;
        events_.typed({{"type", "message_delta"},
                       {"delta",
                        {{"stop_reason", said.stop == "end" ? "end_turn" : said.stop},
                         {"stop_sequence", nullptr}}},
                       {"usage", {{"output_tokens", said.usage.output}}}});
        events_.typed({{"type", "message_stop"}});
    }
    void open(Json block) {
        events_.typed({{"type", "content_block_start"},
                       {"index", index_},
                       {"content_block", std::move(block)}});
    }
    void delta(Json value) {
        events_.typed(
            {{"type", "content_block_delta"}, {"index", index_}, {"delta", std::move(value)}});
    }
    void close() { events_.typed({{"type", "content_block_stop"}, {"index", index_++}}); }

    Events events_;
    int index_ = 0;
};

}  // namespace

std::vector<std::string> render_anthropic(const Said& said, const Asked& asked) {
    return Anthropic().render(said, asked);
}

}  // namespace loopback
