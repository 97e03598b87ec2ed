#include "loopback_said.hpp"

namespace loopback {
namespace {

class Responses {
  public:
    std::vector<std::string> render(const Said& said, const Asked& asked) {
        id_ = std::to_string(asked.number);
        response_ = {{"id", "resp_" + id_},  {"object", "response"},    {"status", "in_progress"},
                     {"model", asked.model}, {"output", Json::array()}, {"usage", nullptr}};
        event("response.created", {{"response", response_}});
        event("response.in_progress", {{"response", response_}});
        if (!said.thinking.empty() || !said.signature.empty()) reason(said);
        if (!said.text.empty()) speak(said);
        for (const Call& call : said.calls) use(call);
        finish(said);
        return events_.take();
    }

  private:
    void event(const std::string& type, const Json& members) {
        Json value = {{"type", type}, {"sequence_number", sequence_++}};
        value.update(members);
        events_.typed(value);
    }
    void item_event(const std::string& type, const Json& item, const Json& members) {
        Json value = {{"item_id", item["id"]}, {"output_index", output_.size()}};
        value.update(members);
        event(type, value);
    }
    void added(const Json& item) {
        event("response.output_item.added", {{"output_index", output_.size()}, {"item", item}});
    }
    void done(const Json& item) {
        event("response.output_item.done", {{"output_index", output_.size()}, {"item", item}});
        output_.push_back(item);
    }

    void reason(const Said& said) {
        Json item = {{"id", "rs_" + id_},
                     {"type", "reasoning"},
                     {"summary", Json::array()},
                     {"encrypted_content", said.signature.substr(0, said.signature.size() / 2)}};
        added(item);
        if (!said.thinking.empty()) summarise(said.thinking, item);
        item["encrypted_content"] = said.signature;
        done(item);
    }
    void summarise(const std::string& thinking, Json& item) {
        const Json part = {{"type", "summary_text"}, {"text", thinking}};
        const Json empty = {{"type", "summary_text"}, {"text", ""}};
        item_event("response.reasoning_summary_part.added", item,
                   {{"summary_index", 0}, {"part", empty}});
        for (const auto& piece : text_pieces(thinking))
            item_event("response.reasoning_summary_text.delta", item,
                       {{"summary_index", 0}, {"delta", piece}});
        item_event("response.reasoning_summary_text.done", item,
                   {{"summary_index", 0}, {"text", thinking}});
        item_event("response.reasoning_summary_part.done", item,
                   {{"summary_index", 0}, {"part", part}});
        item["summary"] = Json::array({part});
    }
    void speak(const Said& said) {
        Json item = {{"id", "msg_" + id_},
                     {"type", "message"},
                     {"status", "in_progress"},
                     {"role", "assistant"},
                     {"phase", said.calls.empty() ? "final_answer" : "commentary"},
                     {"content", Json::array()}};
        added(item);
        const auto part = [](const std::string& text) {
            return Json{{"type", "output_text"}, {"annotations", Json::array()}, {"text", text}};
        };
        item_event("response.content_part.added", item, {{"content_index", 0}, {"part", part("")}});
        for (const auto& piece : text_pieces(said.text))
            item_event("response.output_text.delta", item,
                       {{"content_index", 0}, {"delta", piece}});
        item_event("response.output_text.done", item, {{"content_index", 0}, {"text", said.text}});
        item_event("response.content_part.done", item,
                   {{"content_index", 0}, {"part", part(said.text)}});
        item["status"] = "completed";
        item["content"] = Json::array({part(said.text)});
        done(item);
    }
    void use(const Call& call) {
        Json item = {{"id", "fc_" + id_ + "_" + std::to_string(output_.size())},
                     {"type", "function_call"},
                     {"status", "in_progress"},
                     {"call_id", call.id},
                     {"name", call.name},
                     {"arguments", ""}};
        added(item);
        for (const auto& piece : argument_pieces(call.arguments))
            item_event("response.function_call_arguments.delta", item, {{"delta", piece}});
        item_event("response.function_call_arguments.done", item, {{"arguments", call.arguments}});
        item["status"] = "completed";
        item["arguments"] = call.arguments;
        done(item);
    }
    void finish(const Said& said) {
        response_["usage"] = {{"input_tokens", said.usage.input},
                              {"input_tokens_details", {{"cached_tokens", said.usage.cache_read}}},
                              {"output_tokens", said.usage.output},
                              {"output_tokens_details", {{"reasoning_tokens", 0}}},
                              {"total_tokens", said.usage.input + said.usage.output}};
        if (!said.error.is_null()) {
            response_["status"] = "failed";
            response_["error"] = {{"code", said.error.value("type", "server_error")},
                                  {"message", said.error.value("message", "")}};
            return event("response.failed", {{"response", response_}});
        }
        if (said.stop == "none") return;
        const bool incomplete = said.stop != "end" && said.stop != "tool_use";
        response_["status"] = incomplete ? "incomplete" : "completed";
        if (incomplete)
            response_["incomplete_details"] = {
                {"reason", said.stop == "max_tokens" ? "max_output_tokens"
                           : said.stop == "refusal"  ? "content_filter"
                                                     : said.stop}};
        response_["output"] = output_;
        event(incomplete ? "response.incomplete" : "response.completed", {{"response", response_}});
    }

    Events events_;
    std::string id_;
    Json response_;
    Json output_ = Json::array();
    int sequence_ = 0;
};

}  // namespace

std::vector<std::string> render_responses(const Said& said, const Asked& asked) {
    return Responses().render(said, asked);
}

}  // namespace loopback
