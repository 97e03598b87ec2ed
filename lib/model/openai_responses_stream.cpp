#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "model/event_json.hpp"
#include "model/openai_responses.hpp"

namespace chorus::model {
namespace {

using chat::StopReason;

constexpr std::size_t item_cost_bytes = 256;

// An output item as announced, then as completed. The deltas count only if it was never completed.
struct Item {
    Json json;
    std::string text;
    std::string arguments;
    bool done = false;

    bool is_call() const { return text_of(json, "type") == "function_call"; }
};

std::string arguments_of(const Item& item) {
    std::string arguments = item.arguments;
    if (item.done || arguments.empty()) arguments = text_of(item.json, "arguments");
    const bool is_blank = arguments.find_first_not_of(" \t\r\n") == std::string::npos;
    return is_blank ? "{}" : arguments;
}

std::string text_in(const Json& item) {
    std::string text;
    const Json& content = member(item, "content");
    if (!content.is_array()) return text;
    for (const Json& part : content)
        text += text_of(part, text_of(part, "type") == "refusal" ? "refusal" : "text");
    return text;
}

bool has_refusal(const Json& item) {
    const Json& content = member(item, "content");
    return content.is_array() && std::any_of(content.begin(), content.end(), [](const Json& part) {
               return text_of(part, "type") == "refusal";
           });
}

bool is_same(const Json& begun, const Json& done) {
    return text_of(begun, "type") == text_of(done, "type") &&
           text_of(begun, "call_id") == text_of(done, "call_id");
}

StopReason reason_of(std::string_view incomplete) {
    if (incomplete == "max_output_tokens") return StopReason::max_tokens;
    return incomplete == "content_filter" ? StopReason::content_filter : StopReason::unknown;
}

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

class ResponsesDecoder final : public Decoder {
  public:
    using Decoder::Decoder;

  private:
    bool read(const net::ServerEvent& event) override;
    bool read_whole(std::string_view text) override;
    void assemble(chat::Reply& reply) override;

    void take_item(const Json& event, std::string_view type, std::size_t event_bytes);
    void take_delta(const Json& event, std::string_view type);
    void take_arguments(const Json& event, std::string_view type);
    void take_terminal(const Json& response, bool is_incomplete);
    void take_output(const Json& output, std::size_t event_bytes);
    void take_usage(const Json& reported);
    void speak(Item& item, std::string_view text);
    void speak_unheard(Item& item);
    void speak_rest(Item& item, std::string_view whole);
    Item& item_of(const Json& event);
    Item& item_for(const std::string& id, std::optional<std::int64_t> index,
                   const std::function<bool(const Item&)>& is_it);
    std::vector<std::size_t> output_order() const;
    Json wire_form(const Item& item) const;

    std::vector<Item> items_;
    std::map<std::string, std::size_t> by_id_;
    std::map<std::int64_t, std::size_t> by_index_;
    std::map<std::size_t, std::int64_t> index_of_;
    std::optional<std::size_t> anonymous_;  // its deltas had neither id nor index
    std::string stop_word_;
    bool is_incomplete_ = false;
    bool refused_ = false;
};

bool ResponsesDecoder::read(const net::ServerEvent& event) {
    if (is_complete()) return true;
    if (event.data == "[DONE]") {
        // some servers send no response.completed
        const auto is_done = [](const Item& item) { return item.done; };
        if (!items_.empty() && std::all_of(items_.begin(), items_.end(), is_done)) mark_over();
        return true;
    }
    const std::optional<Json> data = parse_event(event.data, surrogate_half());
    if (!data || !data->is_object()) return false;
    std::string_view type = text_of(*data, "type");
    if (type.empty()) type = event.type;
    if (type.starts_with("response.")) mark_known();
    if (type == "error" || type == "response.failed" || member(*data, "error").is_object()) {
        take_usage(member(member(*data, "response"), "usage"));
        complain(event.data);
    } else if (type == "response.completed" || type == "response.incomplete") {
        take_output(member(member(*data, "response"), "output"), event.data.size());
        take_terminal(member(*data, "response"), type == "response.incomplete");
    } else if (type == "response.output_item.added" || type == "response.output_item.done") {
        take_item(*data, type, event.data.size());
    } else if (ends_with(type, ".delta")) {
        take_delta(*data, type);
    } else if (type == "response.function_call_arguments.done") {
        take_arguments(*data, type);
    } else if (type == "response.output_text.done") {
        speak_rest(item_of(*data), text_of(*data, "text"));
    }
    return true;
}

bool ResponsesDecoder::read_whole(std::string_view text) {
    const Json body = parse_event(text).value_or(Json());
    const Json& output = member(body, "output");
    if (!output.is_array()) return false;
    take_output(output, text.size());
    take_terminal(body, false);
    return true;
}

void ResponsesDecoder::take_item(const Json& event, std::string_view type,
                                 std::size_t event_bytes) {
    const Json& json = member(event, "item");
    if (!json.is_object()) return;
    const bool is_done = type == "response.output_item.done";
    Item& item = item_for(std::string(text_of(json, "id")), count_of(event, "output_index"),
                          [&](const Item& there) { return is_done && is_same(there.json, json); });
    keep(event_bytes);
    if (item.done) return;
    item.json = json;
    item.done = is_done;
    if (text_of(json, "type") == "reasoning") pause();
    if (item.done) speak_unheard(item);
}

void ResponsesDecoder::take_delta(const Json& event, std::string_view type) {
    const std::string_view delta = text_of(event, "delta");
    if (type == "response.output_text.delta" || type == "response.refusal.delta") {
        refused_ = refused_ || type == "response.refusal.delta";
        speak(item_of(event), delta);
    } else if (type == "response.reasoning_summary_text.delta" ||
               type == "response.reasoning_text.delta") {
        think(delta);
    } else if (type == "response.function_call_arguments.delta") {
        take_arguments(event, type);
    }
}

void ResponsesDecoder::take_arguments(const Json& event, std::string_view type) {
    Item& item = item_of(event);
    if (type == "response.function_call_arguments.delta") {
        write(text_of(event, "delta").size());
        item.arguments += text_of(event, "delta");
    } else if (member(event, "arguments").is_string()) {
        write(text_of(event, "arguments").size());
        item.arguments = text_of(event, "arguments");
    }
}

// Takes the items of a server that sends them only at the end.
void ResponsesDecoder::take_output(const Json& output, std::size_t event_bytes) {
    if (!output.is_array()) return;
    const bool none_was_done =
        std::none_of(items_.begin(), items_.end(), [](const Item& item) { return item.done; });
    if (!none_was_done) return;
    keep(event_bytes);
    for (std::size_t i = 0; i < output.size(); ++i) {
        if (!output[i].is_object()) continue;
        Item& item = item_for(std::string(text_of(output[i], "id")), static_cast<std::int64_t>(i),
                              [&](const Item& there) { return is_same(there.json, output[i]); });
        item.json = output[i];
        item.done = true;
        speak_unheard(item);
    }
}

void ResponsesDecoder::take_terminal(const Json& response, bool is_incomplete) {
    take_usage(member(response, "usage"));
    const std::string_view status = text_of(response, "status");
    is_incomplete_ = is_incomplete || status == "incomplete" || status == "cancelled";
    stop_word_ = text_of(member(response, "incomplete_details"), "reason");
    if (stop_word_.empty()) stop_word_ = is_incomplete && status.empty() ? "incomplete" : status;
    mark_over();
}

void ResponsesDecoder::take_usage(const Json& reported) {
    chat::Usage& sum = usage();
    take_larger(sum.input_tokens, reported, "input_tokens");
    take_larger(sum.output_tokens, reported, "output_tokens");
    take_larger(sum.cache_read_tokens, member(reported, "input_tokens_details"), "cached_tokens");
}

// Each message is a paragraph of its own: a commentary, then the answer.
void ResponsesDecoder::speak(Item& item, std::string_view text) {
    if (text.empty()) return;
    if (item.text.empty() && has_text()) say("\n\n");
    item.text += text;
    say(text);
}

void ResponsesDecoder::speak_unheard(Item& item) {
    if (text_of(item.json, "type") != "message") return;
    refused_ = refused_ || has_refusal(item.json);
    speak_rest(item, text_in(item.json));
}

// Says the part of the whole text that the deltas left out.
void ResponsesDecoder::speak_rest(Item& item, std::string_view whole) {
    if (whole.starts_with(item.text)) speak(item, whole.substr(item.text.size()));
}

// Returns the item that the event's item_id refers to.
Item& ResponsesDecoder::item_of(const Json& event) {
    return item_for(std::string(text_of(event, "item_id")), count_of(event, "output_index"),
                    [](const Item&) { return true; });
}

// Finds an item by id, then by number, or adds one. Some servers change an item's id in every event
// (GitHub Copilot), others give every item the same number: for an unknown id, `is_it` tells
// whether the open item with that number is meant.
Item& ResponsesDecoder::item_for(const std::string& id, std::optional<std::int64_t> index,
                                 const std::function<bool(const Item&)>& is_it) {
    std::optional<std::size_t> at;
    if (const auto found = by_id_.find(id); !id.empty() && found != by_id_.end())
        at = found->second;
    if (!at && index) {
        const auto found = by_index_.find(*index);
        if (found != by_index_.end()) {
            const Item& there = items_[found->second];
            if (id.empty() || text_of(there.json, "id").empty() || (!there.done && is_it(there)))
                at = found->second;
        }
    }
    if (!at && id.empty() && !index && !items_.empty()) at = items_.size() - 1;
    if (!at) at = std::exchange(anonymous_, std::nullopt);
    if (!at) {
        keep(item_cost_bytes);
        at = items_.size();
        items_.emplace_back();
        if (id.empty() && !index) anonymous_ = at;
    }
    if (!id.empty()) by_id_[id] = *at;
    if (index) by_index_[*index] = *at;
    if (index) index_of_.try_emplace(*at, *index);
    return items_[*at];
}

// Returns the items by output_index if every item has one, else in order of arrival.
std::vector<std::size_t> ResponsesDecoder::output_order() const {
    std::vector<std::size_t> order(items_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (index_of_.size() == items_.size())
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return index_of_.at(a) < index_of_.at(b);
        });
    return order;
}

// Returns null for an item that cannot be sent back: one that was never announced, or incomplete
// reasoning.
Json ResponsesDecoder::wire_form(const Item& item) const {
    Json json = item.json;
    if (!json.is_object()) return nullptr;
    if (item.is_call()) {
        json["arguments"] = sendable_arguments(arguments_of(item));
    } else if (!item.done) {
        if (text_of(json, "type") != "message" || item.text.empty()) return nullptr;
        json["content"] = Json::array({{{"type", "output_text"}, {"text", item.text}}});
    }
    return json;
}

void ResponsesDecoder::assemble(chat::Reply& reply) {
    reply.raw_stop = stop_word_;
    if (is_incomplete_) reply.stop = reason_of(stop_word_);
    if (refused_) reply.stop = StopReason::refusal;
    if (reply.stop == StopReason::refusal || reply.stop == StopReason::content_filter) return;
    Json wire = Json::array();
    std::set<std::string> ids;
    for (const std::size_t at : output_order()) {
        Item& item = items_[at];
        if (item.is_call()) {
            const std::string id = usable_call_id(text_of(item.json, "call_id"), ids);
            const std::string name(text_of(item.json, "name"));
            reply.tool_calls.push_back({id, name, arguments_of(item)});
            if (item.json.is_object()) {
                item.json["call_id"] = id;
                item.json["name"] = sendable_name(name);
            }
        }
        if (Json json = wire_form(item); !json.is_null()) wire.push_back(std::move(json));
    }
    if (reply.stop == StopReason::end && !reply.tool_calls.empty())
        reply.stop = StopReason::tool_use;
    if (!wire.empty())
        reply.opaque = chat::Opaque{origin().provider, origin().model, chat::dump(wire)};
}

}  // namespace

std::unique_ptr<Decoder> responses_decoder(const Origin& origin, const StreamSink& sink) {
    return std::make_unique<ResponsesDecoder>(origin, sink);
}

}  // namespace chorus::model
