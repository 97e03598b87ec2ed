// One exchange. libcurl moves the bytes; everything that may throw, block or take time happens
// outside its callbacks. Include it in this room's .cpp files only.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "net/certificates.hpp"
#include "net/fault.hpp"
#include "net/gzip.hpp"
#include "net/http.hpp"
#include "net/target.hpp"

namespace chorus::net {

struct Ends {
    const std::function<bool()>& stop;
    int wake_fd = -1;
};

class Transfer {
  public:
    using BodySink = std::function<Received(std::string_view)>;

    // All arguments must outlive run().
    Transfer(CURLM* multi, CURL* easy, const Transport& transport, const Trust& trust,
             const HttpRequest& request, const Target& target, const BodySink& on_body, Ends ends);
    Response run();

  private:
    static std::size_t take_header(char*, std::size_t, std::size_t size, void* self) noexcept;
    static curl_socket_t open_socket(void* self, curlsocktype, curl_sockaddr* address) noexcept;
    static std::size_t take_body(char* data, std::size_t, std::size_t size, void* self) noexcept;

    void step();
    void perform();
    void deliver();
    void unpack(std::string_view bytes);
    bool hand_on(std::string_view bytes);
    bool keep_of_error(std::string_view bytes);
    void look_for_end();
    void finish(CURLcode code);
    void check_time();
    void wait();
    bool is_stopped();
    std::int64_t deadline_ms() const;
    // The newest status, including interim ones (1xx); 0 before any.
    int status() const;
    bool is_error_status() const { return status() >= 300; }
    // Returns the headers of the answer, not those of an interim one before it.
    Headers headers() const;
    Fault fault(CURLcode code) const;
    void end(Fault fault);
    Response result();

    CURLM* multi_;
    CURL* easy_;
    const Transport& transport_;
    const Timeouts timeouts_;
    const Target& target_;
    const BodySink& on_body_;
    Ends ends_;
    ListHandle headers_;
    std::array<char, CURL_ERROR_SIZE> reason_{};

    std::size_t head_bytes_ = 0;  // of all header lines and trailers
    bool met_private_ = false;    // the name resolved to an address that is not public
    std::string arrived_;
    bool body_began_ = false;
    Received received_ = Received::preamble;
    std::int64_t whole_ms_ = 0;  // when the answer became whole
    std::int64_t error_ms_ = 0;  // when an error status arrived
    std::optional<Gunzip> gunzip_;
    Response response_;
    bool over_ = false;
    std::int64_t began_ms_;
    std::int64_t active_ms_;
    std::int64_t asked_ms_ = 0;
};

}  // namespace chorus::net
