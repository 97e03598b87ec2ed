#include "net/curl_transfer.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "net/address.hpp"
#include "net/options.hpp"
#include "net/retry_after.hpp"
#include "sys/clock.hpp"

namespace chorus::net {
namespace {

constexpr std::int64_t ask_every_ms = 100;
// The last chunk of a complete answer usually follows at once.
constexpr std::int64_t linger_ms = 50;

// Keeps a transfer in the multi handle and removes it even if a sink throws.
class Attached {
  public:
    Attached(CURLM* multi, CURL* easy) : multi_(multi), easy_(easy) {
        const CURLMcode result = curl().multi_add_handle(multi, easy);
        if (result != CURLM_OK)
            throw base::Error(base::ErrorCode::internal,
                              std::string("libcurl: ") + curl().multi_strerror(result));
    }
    ~Attached() { curl().multi_remove_handle(multi_, easy_); }
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;

  private:
    CURLM* multi_;
    CURL* easy_;
};

bool is_readable(int fd) {
    if (fd < 0) return false;
    pollfd entry{fd, POLLIN, 0};
    return ::poll(&entry, 1, 0) > 0;
}

}  // namespace

Transfer::Transfer(CURLM* multi, CURL* easy, const Transport& transport, const Trust& trust,
                   const HttpRequest& request, const Target& target, const BodySink& on_body,
                   Ends ends)
    : multi_(multi),
      easy_(easy),
      transport_(transport),
      timeouts_(request.timeouts.value_or(transport.timeouts)),
      target_(target),
      on_body_(on_body),
      ends_(ends),
      headers_(set_options(easy, transport, trust, request, target)),
      began_ms_(sys::monotonic_ms()),
      active_ms_(began_ms_) {
    set_option(easy, CURLOPT_ERRORBUFFER, reason_.data());
    set_option(easy, CURLOPT_HEADERFUNCTION, &Transfer::take_header);
    set_option(easy, CURLOPT_HEADERDATA, static_cast<void*>(this));
    set_option(easy, CURLOPT_WRITEFUNCTION, &Transfer::take_body);
    set_option(easy, CURLOPT_WRITEDATA, static_cast<void*>(this));
    // a proxy, if there is one, decides what it connects to
    if (!request.public_only || !proxy_for(transport, target).empty()) return;
    set_option(easy, CURLOPT_OPENSOCKETFUNCTION, &Transfer::open_socket);
    set_option(easy, CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
}

curl_socket_t Transfer::open_socket(void* self, curlsocktype, curl_sockaddr* address) noexcept {
    if (is_public(address->addr))
        return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    static_cast<Transfer*>(self)->met_private_ = true;
    return CURL_SOCKET_BAD;
}

std::size_t Transfer::take_header(char*, std::size_t, std::size_t size, void* self) noexcept {
    Transfer& transfer = *static_cast<Transfer*>(self);
    // trailers arrive here too, after the body
    const bool is_trailer = transfer.body_began_ || !transfer.arrived_.empty();
    if (!is_trailer) transfer.active_ms_ = sys::monotonic_ms();
    transfer.head_bytes_ += size;
    return transfer.head_bytes_ > base::limits::http_head_bytes ? 0 : size;
}

std::size_t Transfer::take_body(char* data, std::size_t, std::size_t size, void* self) noexcept {
    static_cast<Transfer*>(self)->arrived_.append(data, size);
    return size;
}

Response Transfer::run() {
    if (is_stopped()) end({TransportFault::stopped, "stopped"});
    if (!over_) {
        const Attached attached(multi_, easy_);
        while (!over_) step();
    }
    return result();
}

void Transfer::step() {
    perform();
    if (is_error_status() && error_ms_ == 0) error_ms_ = sys::monotonic_ms();
    if (!over_) deliver();
    if (!over_) look_for_end();
    if (!over_) check_time();
    if (!over_) wait();
}

void Transfer::perform() {
    int running = 0;
    const CURLMcode result = curl().multi_perform(multi_, &running);
    if (result != CURLM_OK) end({TransportFault::other, curl().multi_strerror(result)});
}

void Transfer::deliver() {
    if (arrived_.empty()) return;
    const std::string bytes = std::exchange(arrived_, {});
    active_ms_ = sys::monotonic_ms();
    if (!std::exchange(body_began_, true)) {
        const std::string encoding = base::to_lower_ascii(header_of(headers(), "content-encoding"));
        if (encoding == "gzip" || encoding == "x-gzip")
            gunzip_.emplace();
        else if (!encoding.empty() && encoding != "identity")
            return end({TransportFault::other, "content-encoding " + base::visible(encoding) +
                                                   " was not requested: " + target_.place});
    }
    if (gunzip_)
        unpack(bytes);
    else
        hand_on(bytes);
}

void Transfer::unpack(std::string_view bytes) {
    const auto outcome =
        gunzip_->feed(bytes, [this](std::string_view piece) { return hand_on(piece); });
    if (outcome == Gunzip::Outcome::damaged)
        end({TransportFault::cut, "damaged gzip stream: " + target_.place});
}

// False once the exchange is over.
bool Transfer::hand_on(std::string_view bytes) {
    if (is_error_status()) return keep_of_error(bytes);
    response_.streamed_bytes += bytes.size();
    received_ = on_body_(bytes);
    if (received_ == Received::refused)
        end({TransportFault::too_large, "transfer aborted: " + target_.place});
    if (received_ == Received::whole && whole_ms_ == 0) whole_ms_ = sys::monotonic_ms();
    return !over_;
}

bool Transfer::keep_of_error(std::string_view bytes) {
    const std::size_t room = base::limits::error_body_bytes - response_.body.size();
    response_.body += bytes.substr(0, room);
    if (bytes.size() >= room) end({});
    return !over_;
}

void Transfer::look_for_end() {
    int left = 0;
    while (const CURLMsg* message = curl().multi_info_read(multi_, &left))
        if (message->msg == CURLMSG_DONE && message->easy_handle == easy_)
            return finish(message->data.result);
}

void Transfer::finish(CURLcode code) {
    // libcurl reports a header line beyond its own bound of 100 KiB this way
    const bool is_line_too_long = code == CURLE_OUT_OF_MEMORY && !body_began_;
    if (is_line_too_long || head_bytes_ > base::limits::http_head_bytes)
        return end({TransportFault::too_large, "header too large: " + target_.place});
    if (code != CURLE_OK) return end(fault(code));
    if (gunzip_ && !gunzip_->complete())
        return end({TransportFault::cut, "gzip stream cut: " + target_.place});
    end({});
}

void Transfer::check_time() {
    if (sys::monotonic_ms() < deadline_ms()) return;
    if (is_error_status() || received_ == Received::answer)
        return end(
            {TransportFault::stalled,
             "no data for " + base::seconds_text(timeouts_.stall_ms) + ": " + target_.place});
    end({TransportFault::timeout,
         "no answer within " + base::seconds_text(timeouts_.first_byte_ms) + ": " + target_.place});
}

std::int64_t Transfer::deadline_ms() const {
    if (whole_ms_ != 0) return whole_ms_ + linger_ms;
    if (is_error_status())
        return std::min(active_ms_ + timeouts_.stall_ms, error_ms_ + timeouts_.error_body_ms);
    if (received_ == Received::answer) return active_ms_ + timeouts_.stall_ms;
    return (body_began_ ? active_ms_ : began_ms_) + timeouts_.first_byte_ms;
}

void Transfer::wait() {
    std::int64_t wait_ms = std::max<std::int64_t>(0, deadline_ms() - sys::monotonic_ms());
    if (ends_.stop) wait_ms = std::min(wait_ms, ask_every_ms);
    wait_ms = std::min<std::int64_t>(wait_ms, 60'000);
    curl_waitfd wake{ends_.wake_fd, CURL_WAIT_POLLIN, 0};
    curl().multi_poll(multi_, &wake, ends_.wake_fd < 0 ? 0 : 1, static_cast<int>(wait_ms), nullptr);
    if (is_stopped()) end({TransportFault::stopped, "stopped"});
}

bool Transfer::is_stopped() {
    // libcurl does not report a hang-up of the descriptor, so it is polled again.
    if (is_readable(ends_.wake_fd)) return true;
    const std::int64_t now_ms = sys::monotonic_ms();
    if (!ends_.stop || now_ms - asked_ms_ < ask_every_ms) return false;
    asked_ms_ = now_ms;
    return ends_.stop();
}

int Transfer::status() const {
    long code = 0;
    curl().easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &code);
    return static_cast<int>(code);
}

Headers Transfer::headers() const {
    Headers all;
    curl_header* one = nullptr;
    while ((one = curl().easy_nextheader(easy_, CURLH_HEADER, -1, one)) != nullptr) {
        std::string& value = all[base::to_lower_ascii(base::trim(one->name))];
        if (!value.empty()) value += ", ";
        value += one->value;
    }
    return all;
}

Fault Transfer::fault(CURLcode code) const {
    if (met_private_ && code == CURLE_COULDNT_CONNECT)
        return {TransportFault::connect, private_address + target_.place};
    Circumstances c;
    long error_number = 0;
    curl().easy_getinfo(easy_, CURLINFO_OS_ERRNO, &error_number);
    curl().easy_getinfo(easy_, CURLINFO_HTTP_CONNECTCODE, &c.proxy_status);
    c.place = target_.place;
    c.reason = reason_[0] != '\0' ? reason_.data() : curl().easy_strerror(code);
    c.error_number = static_cast<int>(error_number);
    c.proxy_configured = !proxy_for(transport_, target_).empty();
    c.timeouts = timeouts_;
    return fault_of(code, c);
}

void Transfer::end(Fault fault) {
    const bool body_lost = fault.kind == TransportFault::cut ||
                           fault.kind == TransportFault::empty ||
                           fault.kind == TransportFault::stalled;
    if (is_error_status() && body_lost) fault = {};
    if (whole_ms_ != 0 && fault.kind != TransportFault::stopped) fault = {};
    response_.fault = fault.kind;
    response_.fault_message = std::move(fault.message);
    response_.fault_lasts = fault.lasts;
    over_ = true;
}

Response Transfer::result() {
    if (status() >= 200) {
        response_.status = status();
        response_.headers = headers();
        response_.retry_after_ms = retry_after_ms(
            response_.headers, sys::now_ms(),
            [](const std::string& text) { return curl().getdate(text.c_str(), nullptr); });
    }
    return std::move(response_);
}

}  // namespace chorus::net
