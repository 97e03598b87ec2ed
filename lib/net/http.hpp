// HTTP requests whose answer is streamed. libcurl is opened by name at the first request, so that a
// process without requests never loads it.
#pragma once

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
    // The longest gap between bytes until the answer itself begins: servers send the header,
    // comments and first events before a model starts to think.
    std::int64_t first_byte_ms = base::limits::first_byte_ms;
    std::int64_t stall_ms = base::limits::stall_ms;  // afterwards; comments count as bytes
    // For the whole body of a status other than 2xx, of which only the status is essential.
    std::int64_t error_body_ms = 10'000;
};

// Settings that the command read from the environment once: HTTPS_PROXY, NO_PROXY, CURL_CA_BUNDLE,
// SSL_CERT_FILE, SSL_CERT_DIR …
struct Transport {
    std::string ca_file;       // CURL_CA_BUNDLE or SSL_CERT_FILE
    std::string ca_directory;  // SSL_CERT_DIR; if neither is set, the system's are used
    std::string system_directory = "/etc/ssl/certs";
    // Debian, Red Hat, SUSE, Alpine: the first that exists.
    std::vector<std::string> system_bundles{"/etc/ssl/certs/ca-certificates.crt",
                                            "/etc/pki/tls/certs/ca-bundle.crt",
                                            "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};
    std::string hashed_copies;  // where copies of a bundle are kept; "": it is parsed each time
    std::string https_proxy;
    std::string http_proxy;
    std::string no_proxy;
    bool plain_http = false;  // http:// to any host: a person configured the base URLs
    Timeouts timeouts;
};

struct HttpRequest {
    std::string method = "POST";
    std::string url;          // https, or http to a loopback address, which bypasses proxies
    bool plain_http = false;  // http:// to any host: a person configured this URL
    // Refuses loopback, private and link-local addresses, also those a name resolves to (fault
    // connect). A proxy, if there is one, decides instead, and no_proxy is ignored.
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

// How the receiver of a body judges what has arrived so far.
enum class Received {
    preamble,  // nothing of the answer itself, or a pause in it: first_byte_ms applies
    answer,    // stall_ms applies
    whole,     // the rest is awaited only briefly, so that the connection can be reused
    refused,   // the exchange ends (fault too_large)
};

using Headers = std::map<std::string, std::string>;  // by names in lower case
// Returns "" if there is none of that name.
std::string header_of(const Headers& headers, const std::string& name);

struct Response {
    TransportFault fault = TransportFault::none;
    std::string fault_message = {};  // one line for people: "connection refused: 127.0.0.1:9"
    bool fault_lasts = false;        // retrying does not help: a certificate, a proxy's password
    int status = 0;                  // 0 if no status line arrived
    Headers headers = {};
    // The body of a status other than 2xx, capped; else empty. A cut or stalled body of such an
    // answer is not a fault: the status is what counts.
    std::string body = {};
    std::uint64_t streamed_bytes = 0;  // passed to on_body
    // From retry-after (seconds or date) and retry-after-ms.
    std::optional<std::int64_t> retry_after_ms = {};
};

class Client {
  public:
    explicit Client(Transport transport);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // Passes the body of a 2xx answer to on_body, unpacked, as it arrives; exceptions from on_body
    // leave send(). Redirects are not followed.
    // SIGPIPE must be ignored, as harden_process() does: OpenSSL writes without MSG_NOSIGNAL.
    // Throws Error(failed) if libcurl is missing, Error(bad_request) for a header with a line
    // break. The request ends (fault stopped) within milliseconds when `wake_fd` (or -1) becomes
    // readable, and when `stop`, called about every 100 ms, returns true.
    Response send(const HttpRequest& request,
                  const std::function<Received(std::string_view)>& on_body,
                  const std::function<bool()>& stop = {}, int wake_fd = -1);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace chorus::net
