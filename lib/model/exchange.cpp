#include "model/exchange.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/braces.hpp"
#include "model/complaint.hpp"
#include "model/event_json.hpp"
#include "sys/clock.hpp"

namespace chorus::model {
namespace {

// How long to wait for token counts after an answer is complete: since the last bytes, and in total
// if the server keeps sending.
constexpr std::int64_t linger_ms = 1'000;
constexpr std::int64_t longest_linger_ms = 5'000;

// Feeds bytes through the event parser to the decoder. A body that is not a stream is collected:
// the server does not stream, or did not answer the request at all.
class Reading {
  public:
    explicit Reading(Decoder& decoder)
        : decoder_(decoder),
          parser_([this](const net::ServerEvent& event) { take(event); }, decoder.framing()) {}

    net::Received feed(std::string_view bytes) {
        last_bytes_ms_ = sys::monotonic_ms();
        if (!saw_event_ && !braces_.closed() && !collect(bytes)) return net::Received::refused;
        if (is_json()) return braces_.closed() ? net::Received::whole : net::Received::answer;
        const bool fits = parser_.feed(bytes) && object_.size() <= base::limits::sse_event_bytes;
        return fits ? decoder_.received() : net::Received::refused;
    }
    // Call it when the exchange has ended by itself.
    void end() {
        decoder_.expect_no_more();
        parser_.finish();
        if (!object_.empty()) decoder_.take({"message", object_});
    }
    bool lingers() const {
        const std::int64_t now_ms = sys::monotonic_ms();
        return decoder_.is_complete() &&
               (now_ms - last_bytes_ms_ > linger_ms || now_ms - completed_ms_ > longest_linger_ms);
    }
    // The body without its byte order mark; empty once an event has arrived.
    std::string_view body() const {
        if (saw_event_) return {};
        const std::string_view text = base::trim(base::without_bom(body_));
        return braces_.closed() ? text.substr(0, followed_bytes_) : text;
    }
    bool is_json() const {
        return decoder_.framing() == net::Framing::events &&
               (body().starts_with('{') || body().starts_with('['));
    }

  private:
    // Returns false if the body is larger than an answer may be.
    bool collect(std::string_view bytes) {
        body_ += bytes;
        if (is_json()) {
            followed_bytes_ += braces_.follow(body().substr(followed_bytes_));
            return body_.size() <= base::limits::answer_bytes;
        }
        body_.resize(std::min(body_.size(), base::limits::error_body_bytes));
        return true;
    }
    void take(const net::ServerEvent& event) {
        if (decoder_.framing() == net::Framing::lines) return take_line(event);
        dispatch(event);
    }
    // A server that does not stream may write its object over many lines. Text before the first
    // object is not an answer.
    void take_line(const net::ServerEvent& line) {
        if (object_.empty() && !base::trim(line.data).starts_with('{')) return;
        object_ += line.data;
        for (const char c : line.data) object_braces_.follow(c);
        if (object_braces_.depth() > 0) return;
        object_braces_ = {};
        dispatch({line.type, std::exchange(object_, {})});
    }
    void dispatch(const net::ServerEvent& event) {
        saw_event_ = true;
        decoder_.take(event);
        if (completed_ms_ == 0 && decoder_.is_complete()) completed_ms_ = last_bytes_ms_;
    }

    Decoder& decoder_;
    net::SseParser parser_;
    std::string body_;
    chat::Braces braces_;  // for a JSON body
    std::size_t followed_bytes_ = 0;
    std::string object_;  // unfinished, over many lines
    chat::Braces object_braces_;
    std::int64_t last_bytes_ms_ = 0;
    std::int64_t completed_ms_ = 0;
    bool saw_event_ = false;
};

// The body may end within the name of its first field.
bool is_stream(std::string_view body) {
    constexpr std::array<std::string_view, 5> fields{":", "data:", "event:", "id:", "retry:"};
    return std::any_of(fields.begin(), fields.end(), [&](std::string_view field) {
        return body.starts_with(field.substr(0, body.size()));
    });
}

// Returns the failure of a 2xx answer without any event; nothing if the body is an answer in JSON
// or a stream that ends before its first event.
std::optional<Failure> failure_of_body(net::Response response, std::string_view provider,
                                       std::string_view key, const Reading& reading) {
    if (reading.body().empty() || is_stream(reading.body())) return std::nullopt;
    const std::optional<Json> json = parse_event(reading.body());
    if (json && is_complaint(json->is_array() && !json->empty() ? json->front() : *json)) {
        response.body = reading.body();
        return http_failure(provider, response, key);
    }
    if (reading.is_json()) return std::nullopt;
    response.body = reading.body();
    return foreign_failure(provider, response, key, {});
}

// Adds what a failure found inside the stream does not know.
void complete(Failure& failure, const net::Response& response, std::string_view key) {
    failure.message = without_key(std::move(failure.message), key);
    if (failure.request_id.empty()) failure.request_id = without_key(request_id_of(response), key);
    if (failure.status == 0) failure.status = response.status;
}

}  // namespace

Answer exchange(net::Client& client, const SendRequest& send, const net::HttpRequest& request,
                std::string_view provider, std::string_view key, Decoder& decoder,
                const Interruption& interruption) {
    decoder.hide(key);
    Reading reading(decoder);
    const auto stop = [&] {
        return (interruption.stop && interruption.stop()) || reading.lingers();
    };
    const auto on_body = [&](std::string_view bytes) { return reading.feed(bytes); };
    const net::Response response = send ? send(client, request, on_body, stop, interruption.wake_fd)
                                        : client.send(request, on_body, stop, interruption.wake_fd);
    std::optional<Failure> cut;
    if (response.status >= 300) {
        cut = http_failure(provider, response, key);
    } else if (response.fault == net::TransportFault::none) {
        if (!reading.is_json()) reading.end();
        cut = failure_of_body(response, provider, key, reading);
        if (!cut && reading.is_json()) decoder.take_whole(reading.body());
        if (decoder.is_foreign())
            cut = foreign_failure(provider, response, key, "events of another protocol");
    }
    Answer answer = decoder.finish(cut ? std::move(*cut) : transport_failure(provider, response));
    if (answer.failure) complete(*answer.failure, response, key);
    return answer;
}

}  // namespace chorus::model
