#include "model/decoder.hpp"

#include "base/limits.hpp"
#include "base/text.hpp"
#include "model/complaint.hpp"

namespace chorus::model {

bool Decoder::take(const net::ServerEvent& event) {
    if (failure_) return false;
    if (over_) return true;
    took_event_ = took_event_ || !at_end_;
    if (event.type == "error" && !complete_) {
        complain(event.data);
        return false;
    }
    if (!read(event) && !at_end_ && !complete_)
        fail(Category::server_error, "malformed event", true);
    return !failure_;
}

void Decoder::take_whole(std::string_view body) {
    if (read_whole(body)) return mark_over();
    fail(Category::server_error, "the server's response is not an answer", false);
}

net::Received Decoder::received() const {
    if (failure_) return net::Received::refused;
    if (over_) return net::Received::whole;
    return writes_ ? net::Received::answer : net::Received::preamble;
}

Answer Decoder::finish(std::optional<Failure> cut) {
    if (complete_ && !failure_) {
        assemble(answer_.reply);
        return std::move(answer_);
    }
    answer_.reply.stop = chat::StopReason::truncated_stream;
    answer_.failure = failure_ ? std::move(failure_) : std::move(cut);
    if (!answer_.failure)
        answer_.failure = Failure{.category = Category::no_internet,
                                  .message = origin_.provider + ": the stream was cut",
                                  .request_id = {},
                                  .retryable = true,
                                  .retry_after_ms = {}};
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

void Decoder::complain(std::string_view data) {
    if (failure_) return;
    Complaint complaint = read_complaint(data);
    strike_key(complaint, key_);
    failure_ = classify(origin_.provider, complaint);
}

void Decoder::fail(Category category, const std::string& message, bool retryable) {
    if (failure_) return;
    failure_ = Failure{.category = category,
                       .message = origin_.provider + ": " + message,
                       .request_id = {},
                       .retryable = retryable,
                       .retry_after_ms = {}};
}

}  // namespace chorus::model
