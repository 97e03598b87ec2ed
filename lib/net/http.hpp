// HTTP requests whose answer is streamed. libcurl is opened by name at the first request, so that a
// process which makes none never loads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.hpp"

namespace chorus::net {

struct Timeouts {
    std::int64_t connect_ms = base::limits::connect_ms;
    // Until the answer itself begins, from one byte to the next: servers send the header, comments
    // and first events before a model starts to think.
    std::int64_t first_byte_ms = base::limits::first_byte_ms;
    std::int64_t stall_ms = base::limits::stall_ms;  // then; comments count as bytes
    // For the whole body of a status other than 2xx, where the status is what counts.
    std::int64_t error_body_ms = 10'000;
};

// What the edge read from the environment once: HTTPS_PROXY, NO_PROXY, CURL_CA_BUNDLE,
// SSL_CERT_FILE, SSL_CERT_DIR …
struct Transport {
    std::string ca_file;       // CURL_CA_BUNDLE or SSL_CERT_FILE
    std::string ca_directory;  // SSL_CERT_DIR; where neither is set the system's count
    std::string system_directory = "/etc/ssl/certs";
    // Debian, Red Hat, SUSE, Alpine: the first that is there.
    std::vector<std::string> system_bundles{"/etc/ssl/certs/ca-certificates.crt",
                                            "/etc/pki/tls/certs/ca-bundle.crt",
                                            "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};
    std::string https_proxy;
    std::string http_proxy;
    std::string no_proxy;
    bool plain_http = false;  // http:// to any host: a person configured the base URLs
    Timeouts timeouts;
};

struct Request {
    std::string method = "POST";
    std::string url;          // https, or http to a loopback address, which goes past proxies
    bool plain_http = false;  // http:// to any host: a person configured this URL
    // Not to loopback, private and link-local addresses, wherever the name leads: fault connect.
    // Where there is a proxy, it decides, and no_proxy takes nothing past it.
    bool public_only = false;
    std::vector<std::string> headers;  // "Name: value"
    std::string body;
    std::optional<Timeouts> timeouts = {};  // instead of the transport's
};

enum class TransportFault {
    none,
    dns,
    connect,
    tls,
    timeout,
    stalled,
    cut,
    empty,
    stopped,
    too_large,
    other
};

// What the receiver of a body makes of all that has come.
enum class Received {
    preamble,  // nothing of the answer itself, or a pause in it: first_byte_ms holds
    answer,    // stall_ms holds
    whole,     // the rest is awaited a moment only, so that the connection can be used again
    refused,   // the exchange ends (fault too_large)
};

struct Response {
    TransportFault fault = TransportFault::none;
    std::string fault_message;  // for people, of one line: "connection refused: 127.0.0.1:9"
    bool fault_lasts = false;   // until somebody mends it: a certificate, a proxy's password
    int status = 0;             // 0 where no status line came
    std::map<std::string, std::string> headers;  // names in lower case
    // Of a status other than 2xx, capped; else empty. Such an answer whose body is cut or stalls is
    // no fault: the status is what counts.
    std::string body;
    std::uint64_t streamed_bytes = 0;            // handed to on_body
    std::optional<std::int64_t> retry_after_ms;  // retry-after (seconds or date) and retry-after-ms
};

class Client {
  public:
    explicit Client(Transport transport);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // Body bytes of a 2xx answer go to on_body as they come, unpacked; what it throws comes out of
    // send(). Redirects are not followed.
    // Throws Error(failed) where libcurl is missing, Error(bad_request) for a header with a line
    // break. `wake_fd` (or -1) becoming readable ends it within milliseconds (fault stopped), as
    // does `stop` returning true, asked about every 100 ms.
    Response send(const Request& request, const std::function<Received(std::string_view)>& on_body,
                  const std::function<bool()>& stop = {}, int wake_fd = -1);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace chorus::net
