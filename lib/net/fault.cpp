#include "net/fault.hpp"

#include <cstring>

#include "base/text.hpp"
#include "base/time.hpp"

namespace chorus::net {
namespace {

constexpr std::string_view certificate_prefix = "SSL certificate problem: ";

std::string system_reason(int error_number, std::string fallback) {
    if (error_number == 0) return fallback;
    return base::to_lower_ascii(std::strerror(error_number));
}

std::string with_reason(std::string what, std::string_view reason) {
    if (!reason.empty()) what += ": " + base::visible(reason, base::Newlines::escape);
    return what;
}

std::string tls_message(CURLcode code, std::string_view reason, const std::string& where) {
    const bool is_named = reason.starts_with(certificate_prefix);
    if (is_named) reason.remove_prefix(certificate_prefix.size());
    const bool is_refused = is_named || code == CURLE_PEER_FAILED_VERIFICATION;
    return with_reason((is_refused ? "certificate not accepted: " : "no TLS connection: ") + where,
                       reason);
}

}  // namespace

Fault fault_of(CURLcode code, const Circumstances& c) {
    const std::string where = c.place + (c.proxy_configured ? " (a proxy is configured)" : "");
    // libcurl reports a proxy's refusal as a failed read.
    if (c.proxy_status == 407)
        return {TransportFault::connect,
                "the proxy asks for a user name and a password (407): " + c.place, true};
    if (c.proxy_status >= 300)
        return {TransportFault::connect,
                "the proxy answered " + std::to_string(c.proxy_status) + ": " + c.place,
                c.proxy_status < 500};
    switch (code) {
        case CURLE_COULDNT_RESOLVE_PROXY:
            return {TransportFault::dns, "proxy not found"};
        case CURLE_COULDNT_RESOLVE_HOST:
            return {TransportFault::dns, "host not found: " + c.place};
        case CURLE_COULDNT_CONNECT:
        case CURLE_PROXY:
            return {TransportFault::connect,
                    system_reason(c.error_number, "cannot connect") + ": " + where};
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CIPHER:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_ISSUER_ERROR:
        case CURLE_SSL_INVALIDCERTSTATUS:
        case CURLE_USE_SSL_FAILED:
            return {TransportFault::tls, tls_message(code, c.reason, where),
                    code != CURLE_SSL_CONNECT_ERROR};
        case CURLE_OPERATION_TIMEDOUT:
            return {
                TransportFault::timeout,
                "no connection within " + base::seconds_text(c.timeouts.connect_ms) + ": " + where};
        case CURLE_PARTIAL_FILE:
        case CURLE_SEND_ERROR:
        case CURLE_RECV_ERROR:
        case CURLE_HTTP2:
        case CURLE_HTTP2_STREAM:
            return {TransportFault::cut, "connection cut: " + where};
        case CURLE_GOT_NOTHING:
            return {TransportFault::empty, "connection closed without an answer: " + where};
        default:
            return {TransportFault::other, with_reason("request failed: " + where, c.reason)};
    }
}

}  // namespace chorus::net
