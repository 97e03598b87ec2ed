#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <utility>

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
    std::optional<std::int64_t> index;

    bool is_a(std::string_view type) const { return text_of(json, "type") == type; }
};

std::string arguments_of(const Item& item) {
    std::string arguments = item.arguments;
    if (item.done || arguments.empty()) arguments = text_of(item.json, "arguments");
    return arguments;
}

bool is_same(const Json& begun, const Json& done) {
    return text_of(begun, "type") == text_of(done, "type") &&
           text_of(begun, "call_id") == text_of(done, "call_id");
}

StopReason reason_of(std::string_view incomplete) {
    if (incomplete == "max_output_tokens") return StopReason::max_tokens;
    return incomplete == "content_filter" ? StopReason::content_filter : StopReason::unknown;
}

// Returns null for an item that cannot be sent back: one that was never announced, or incomplete
// reasoning.
Json wire_form(const Item& item) {
    Json json = item.json;
    if (!json.is_object()) return nullptr;
    if (item.is_a("function_call")) {
        json["arguments"] = sendable_arguments(arguments_of(item));
    } else if (!item.done) {
        if (!item.is_a("message") || item.text.empty()) return nullptr;
        json["content"] = Json::array({{{"type", "output_text"}, {"text", item.text}}});
    }
    return json;
}

class ResponsesDecoder final : public Decoder {
  public:
    using Decoder::Decoder;

  private:
    void read(const Json& event, std::string_view type, std::string_view data) override;
    void read_done() override;
    bool read_whole(const Json& body, std::string_view text) override;
    std::string assemble(chat::Reply& reply) override;

    void take_item(const Json& event, bool is_done, std::size_t event_bytes);
    void take_terminal(const Json& response, bool is_incomplete);
    void take_output(const Json& output, std::size_t event_bytes);
    void take_usage(const Json& reported);
    void speak(Item& item, std::string_view text);
    void speak_unheard(Item& item);
    void speak_rest(Item& item, std::string_view whole);
    Item& item_of(const Json& event);
    Item& item_for(const std::string& id, std::optional<std::int64_t> index,
                   const std::function<bool(const Item&)>& is_it);
    std::vector<Item*> in_output_order();

    std::deque<Item> items_;
    std::map<std::string, Item*> by_id_;
    std::map<std::int64_t, Item*> by_index_;
    Item* anonymous_ = nullptr;  // its deltas had neither id nor index
    std::string stop_word_;
    bool is_incomplete_ = false;
    bool refused_ = false;
};

void ResponsesDecoder::read(const Json& event, std::string_view type, std::string_view data) {
    if (type.starts_with("response.")) mark_known();
    if (type == "error" || type == "response.failed" || member(event, "error").is_object()) {
        take_usage(member(member(event, "response"), "usage"));
        complain(data);
    } else if (type == "response.completed" || type == "response.incomplete") {
        take_output(member(member(event, "response"), "output"), data.size());
        take_terminal(member(event, "response"), type == "response.incomplete");
    } else if (type == "response.output_item.added" || type == "response.output_item.done") {
        take_item(event, type == "response.output_item.done", data.size());
    } else if (type == "response.output_text.delta" || type == "response.refusal.delta") {
        refused_ = refused_ || type == "response.refusal.delta";
        speak(item_of(event), text_of(event, "delta"));
    } else if (type == "response.reasoning_summary_text.delta" ||
               type == "response.reasoning_text.delta") {
        think(text_of(event, "delta"));
    } else if (type == "response.function_call_arguments.delta") {
        write(text_of(event, "delta").size());
        item_of(event).arguments += text_of(event, "delta");
    } else if (type == "response.function_call_arguments.done") {
        Item& item = item_of(event);
        if (!member(event, "arguments").is_string()) return;
        write(text_of(event, "arguments").size());
        item.arguments = text_of(event, "arguments");
    } else if (type == "response.output_text.done") {
        speak_rest(item_of(event), text_of(event, "text"));
    }
}

void ResponsesDecoder::read_done() {
    // some servers send no response.completed
    const auto is_done = [](const Item& item) { return item.done; };
    if (!items_.empty() && std::all_of(items_.begin(), items_.end(), is_done)) mark_over();
}

bool ResponsesDecoder::read_whole(const Json& body, std::string_view text) {
    const Json& output = member(body, "output");
    if (!output.is_array()) return false;
    take_output(output, text.size());
    take_terminal(body, false);
    return true;
}

void ResponsesDecoder::take_item(const Json& event, bool is_done, std::size_t event_bytes) {
    const Json& json = member(event, "item");
    if (!json.is_object()) return;
    Item& item = item_for(std::string(text_of(json, "id")), count_of(event, "output_index"),
                          [&](const Item& there) { return is_done && is_same(there.json, json); });
    keep(event_bytes);
    if (item.done) return;
    item.json = json;
    item.done = is_done;
    if (text_of(json, "type") == "reasoning") pause();
    if (item.done) speak_unheard(item);
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
    take_larger(sum.reasoning_tokens, member(reported, "output_tokens_details"),
                "reasoning_tokens");
}

// Each message is a paragraph of its own: a commentary, then the answer.
void ResponsesDecoder::speak(Item& item, std::string_view text) {
    if (text.empty()) return;
    if (item.text.empty() && has_text()) say("\n\n");
    item.text += text;
    say(text);
}

void ResponsesDecoder::speak_unheard(Item& item) {
    if (!item.is_a("message")) return;
    std::string whole;
    for (const Json& part : list_in(item.json, "content")) {
        const bool is_refusal = text_of(part, "type") == "refusal";
        refused_ = refused_ || is_refusal;
        whole += text_of(part, is_refusal ? "refusal" : "text");
    }
    speak_rest(item, whole);
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
    Item* item = by_id_[id];
    Item* const there = index ? by_index_[*index] : nullptr;
    if (item == nullptr && there != nullptr &&
        (id.empty() || text_of(there->json, "id").empty() || (!there->done && is_it(*there))))
        item = there;
    if (item == nullptr && id.empty() && !index && !items_.empty()) item = &items_.back();
    if (item == nullptr) item = std::exchange(anonymous_, nullptr);
    if (item == nullptr) {
        keep(item_cost_bytes);
        item = &items_.emplace_back();
        if (id.empty() && !index) anonymous_ = item;
    }
    if (!id.empty()) by_id_[id] = item;
    if (index) by_index_[*index] = item;
    if (index && !item->index) item->index = index;
    return *item;
}

// Returns the items by output_index if every item has one, else in order of arrival.
std::vector<Item*> ResponsesDecoder::in_output_order() {
    std::vector<Item*> order;
    for (Item& item : items_) order.push_back(&item);
    if (std::all_of(items_.begin(), items_.end(),
                    [](const Item& item) { return item.index.has_value(); }))
        std::stable_sort(order.begin(), order.end(),
                         [](const Item* a, const Item* b) { return a->index < b->index; });
    return order;
}

std::string ResponsesDecoder::assemble(chat::Reply& reply) {
    reply.raw_stop = stop_word_;
    if (is_incomplete_) reply.stop = reason_of(stop_word_);
    if (refused_) reply.stop = StopReason::refusal;
    if (reply.stop == StopReason::refusal || reply.stop == StopReason::content_filter) return {};
    Json wire = Json::array();
    for (Item* item : in_output_order()) {
        if (item->is_a("function_call")) {
            const std::string name(text_of(item->json, "name"));
            item->json["call_id"] =
                add_call(reply, text_of(item->json, "call_id"), name, arguments_of(*item));
            item->json["name"] = sendable_name(name);
        }
        if (Json json = wire_form(*item); !json.is_null()) wire.push_back(std::move(json));
    }
    return wire.empty() ? std::string() : chat::dump(wire);
}

}  // namespace

std::unique_ptr<Decoder> responses_decoder(const Origin& origin, const StreamSink& sink) {
    return std::make_unique<ResponsesDecoder>(origin, sink);
}

}  // namespace chorus::model
