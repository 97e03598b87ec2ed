#include "model/exchange.hpp"

#include "base/limits.hpp"
#include "model/complaint.hpp"
#include "sys/clock.hpp"

namespace chorus::model {
namespace {

// A server that keeps the connection open after its last event is not waited for, nor one that
// talks on.
constexpr std::int64_t linger_ms = 1'000;
constexpr std::int64_t longest_linger_ms = 5'000;

// Bytes → events → decoder, for as long as they are wanted.
class Reading {
  public:
    explicit Reading(Decoder& decoder)
        : decoder_(decoder), parser_([this](const net::ServerEvent& event) { take(event); }) {}

    bool feed(std::string_view bytes) {
        last_bytes_ms_ = sys::monotonic_ms();
        if (!saw_event_ && head_.size() < base::limits::error_body_bytes)
            head_ += bytes.substr(0, base::limits::error_body_bytes - head_.size());
        return parser_.feed(bytes) && !decoder_.has_failed();
    }
    void end() {
        decoder_.expect_no_more();
        parser_.finish();
    }
    bool lingers() const {
        const std::int64_t now_ms = sys::monotonic_ms();
        return decoder_.is_complete() &&
               (now_ms - last_bytes_ms_ > linger_ms || now_ms - completed_ms_ > longest_linger_ms);
    }
    // What a server sent that answered without a stream.
    std::string_view body_without_events() const { return saw_event_ ? std::string_view() : head_; }

  private:
    void take(const net::ServerEvent& event) {
        saw_event_ = true;
        decoder_.take(event);
        if (completed_ms_ == 0 && decoder_.is_complete()) completed_ms_ = last_bytes_ms_;
    }

    Decoder& decoder_;
    net::SseParser parser_;
    std::string head_;
    std::int64_t last_bytes_ms_ = 0;
    std::int64_t completed_ms_ = 0;
    bool saw_event_ = false;
};

bool is_error_body(std::string_view body) {
    const std::size_t first = body.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && body[first] == '{' &&
           body.find("\"error\"") != std::string_view::npos;
}

Failure failure_of(net::Response response, std::string_view provider, std::string_view key,
                   std::string_view body_without_events) {
    if (response.status >= 300) return http_failure(provider, response, key);
    if (response.fault == net::TransportFault::none && is_error_body(body_without_events)) {
        response.body = body_without_events;
        return http_failure(provider, response, key);
    }
    return transport_failure(provider, response);
}

// What a failure found inside the stream does not know.
void complete(Failure& failure, const net::Response& response, std::string_view key) {
    failure.message = without_key(std::move(failure.message), key);
    if (failure.request_id.empty()) failure.request_id = without_key(request_id_of(response), key);
    if (failure.status == 0) failure.status = response.status;
}

}  // namespace

Answer exchange(net::Client& client, const net::Request& request, std::string_view provider,
                std::string_view key, Decoder& decoder, const Interruption& interruption) {
    decoder.hide(key);
    Reading reading(decoder);
    const auto stop = [&] {
        return (interruption.stop && interruption.stop()) || reading.lingers();
    };
    const net::Response response = client.send(
        request, [&](std::string_view bytes) { return reading.feed(bytes); }, stop,
        interruption.wake_fd);
    if (response.fault == net::TransportFault::none) reading.end();
    Answer answer =
        decoder.finish(failure_of(response, provider, key, reading.body_without_events()));
    if (answer.failure) complete(*answer.failure, response, key);
    return answer;
}

}  // namespace chorus::model
