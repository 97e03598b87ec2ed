#include "model/decoder.hpp"

#include "base/limits.hpp"
#include "base/text.hpp"
#include "model/complaint.hpp"

namespace chorus::model {

void Decoder::take(const net::ServerEvent& event) {
    if (failure_ || over_) return;
    took_event_ = took_event_ || !at_end_;
    if (event.type == "error" && !complete_) return complain(event.data);
    if (event.data == "[DONE]") return read_done();
    const Json data = parse_event(event.data, &surrogate_half_).value_or(Json());
    if (data.is_object()) {
        const std::string_view type = text_of(data, "type");
        read(data, type.empty() ? event.type : type, event.data);
    } else if (!at_end_ && !complete_) {
        fail(Category::server_error, "malformed event", true);
    }
}

void Decoder::take_whole(std::string_view body) {
    if (read_whole(parse_event(body).value_or(Json()), body)) return mark_over();
    fail(Category::server_error, "the server's response is not an answer", false);
}

net::Received Decoder::received() const {
    if (failure_) return net::Received::refused;
    if (over_) return net::Received::whole;
    return writes_ ? net::Received::answer : net::Received::preamble;
}

Answer Decoder::finish(std::optional<Failure> cut) {
    chat::Reply& reply = answer_.reply;
    if (complete_ && !failure_) {
        if (std::string own = assemble(reply); !own.empty())
            reply.opaque = chat::Opaque{origin_.provider, origin_.model, std::move(own)};
        // some servers report an end even with calls
        if (reply.stop == chat::StopReason::end && !reply.tool_calls.empty())
            reply.stop = chat::StopReason::tool_use;
        return std::move(answer_);
    }
    if (!failure_ && !cut) fail(Category::no_internet, "the stream was cut", true);
    reply.stop = chat::StopReason::truncated_stream;
    answer_.failure = failure_ ? std::move(failure_) : std::move(cut);
    return std::move(answer_);
}

void Decoder::say(std::string_view text) {
    keep(text.size());
    if (text.empty() || failure_) return;
    writes_ = true;
    answer_.reply.text += text;
    if (!sink_.on_text) return;
    if (!answer_.text_was_streamed) {
        // leading blanks are held back, because an answer of blanks alone is retried
        if (base::trim(text).empty()) return;
        text = answer_.reply.text;
    }
    answer_.text_was_streamed = true;
    sink_.on_text(text);
}

void Decoder::think(std::string_view text) {
    keep(text.size());
    if (text.empty()) return;
    writes_ = false;
    if (sink_.on_thinking) sink_.on_thinking(text);
}

void Decoder::write(std::size_t bytes) {
    keep(bytes);
    writes_ = true;
}

void Decoder::keep(std::size_t bytes) {
    kept_bytes_ += bytes;
    if (kept_bytes_ > base::limits::answer_bytes)
        fail(Category::other,
             "the answer is longer than " + std::to_string(base::limits::answer_bytes >> 20U) +
                 " MiB",
             false);
}

std::string Decoder::add_call(chat::Reply& reply, std::string_view id, std::string_view name,
                              std::string_view arguments) {
    std::string usable = usable_call_id(id, call_ids_);
    const bool is_blank = arguments.find_first_not_of(" \t\r\n") == arguments.npos;
    reply.tool_calls.push_back(
        {usable, std::string(name), std::string(is_blank ? "{}" : arguments)});
    return usable;
}

void Decoder::complain(std::string_view data) {
    if (failure_ || complete_) return;
    Complaint complaint = read_complaint(data);
    strike_key(complaint, key_);
    failure_ = classify(origin_.provider, complaint);
}

void Decoder::fail(Category category, const std::string& message, bool retryable) {
    if (failure_) return;
    failure_ = Failure{
        .category = category, .message = origin_.provider + ": " + message, .retryable = retryable};
}

}  // namespace chorus::model
