#include "net/options.hpp"

#include <algorithm>
#include <new>

#include "base/error.hpp"
#include "base/text.hpp"

namespace chorus::net {
namespace {

constexpr long keepalive_idle_s = 60;
constexpr long keepalive_interval_s = 30;

void append(ListHandle& list, const std::string& line) {
    curl_slist* longer = curl().slist_append(list.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    list.release();
    list.reset(longer);
}

std::string name_of(std::string_view header) {
    return base::to_lower_ascii(base::trim(header.substr(0, header.find(':'))));
}

void check_header(std::string_view header) {
    if (header.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos) return;
    throw base::Error(
        base::ErrorCode::bad_request,
        "line break in the header " + base::visible(name_of(header), base::Newlines::escape),
        "check the key and the configured headers");
}

ListHandle header_list(const std::vector<std::string>& headers) {
    ListHandle list;
    const auto given = [&](std::string_view name) {
        return std::any_of(headers.begin(), headers.end(),
                           [&](const std::string& header) { return name_of(header) == name; });
    };
    for (const std::string& header : headers) {
        check_header(header);
        append(list, header);
    }
    if (!given("user-agent")) append(list, "User-Agent: chorus/" CHORUS_VERSION);
    if (!given("accept-encoding")) append(list, "Accept-Encoding: gzip");
    // A name without a value removes the header that libcurl would add by itself.
    if (!given("content-type")) append(list, "Content-Type:");
    append(list, "Expect:");
    return list;
}

void set_method(CURL* easy, const HttpRequest& request) {
    if (request.method == "POST" || !request.body.empty()) {
        set_option(easy, CURLOPT_POST, 1L);
        set_option(easy, CURLOPT_POSTFIELDS, request.body.c_str());
        set_option(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.size()));
    }
    if (request.method != "POST" && request.method != "GET")
        set_option(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

void set_trust(CURL* easy, const Trust& trust) {
    const char* file = trust.file.empty() ? nullptr : trust.file.c_str();
    const char* directory = trust.directory.empty() ? nullptr : trust.directory.c_str();
    set_option(easy, CURLOPT_CAINFO, file);
    set_option(easy, CURLOPT_CAPATH, directory);
    set_option(easy, CURLOPT_PROXY_CAINFO, file);
    set_option(easy, CURLOPT_PROXY_CAPATH, directory);
    set_option(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    set_option(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    set_option(easy, CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
}

}  // namespace

void check_option(CURLoption option, CURLcode result) {
    if (result == CURLE_OK) return;
    throw base::Error(base::ErrorCode::failed, "libcurl option " + std::to_string(option) + ": " +
                                                   curl().easy_strerror(result));
}

const std::string& proxy_for(const Transport& transport, const Target& target) {
    static const std::string none;
    if (target.loopback) return none;
    return target.https ? transport.https_proxy : transport.http_proxy;
}

ListHandle set_options(CURL* easy, const Transport& transport, const Trust& trust,
                       const HttpRequest& request, const Target& target) {
    ListHandle headers = header_list(request.headers);
    set_option(easy, CURLOPT_CURLU, target.url.get());
    set_option(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    set_option(easy, CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_2TLS});
    set_option(easy, CURLOPT_HTTPHEADER, headers.get());
    set_method(easy, request);
    set_option(easy, CURLOPT_FOLLOWLOCATION, 0L);
    set_option(easy, CURLOPT_NETRC, long{CURL_NETRC_IGNORED});
    // Empty rather than unset: otherwise libcurl reads the environment.
    set_option(easy, CURLOPT_PROXY, proxy_for(transport, target).c_str());
    set_option(easy, CURLOPT_NOPROXY, request.public_only ? "" : transport.no_proxy.c_str());
    set_option(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    set_trust(easy, trust);
    set_option(easy, CURLOPT_CONNECTTIMEOUT_MS,
               static_cast<long>(request.timeouts.value_or(transport.timeouts).connect_ms));
    set_option(easy, CURLOPT_TCP_NODELAY, 1L);
    set_option(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    set_option(easy, CURLOPT_TCP_KEEPIDLE, keepalive_idle_s);
    set_option(easy, CURLOPT_TCP_KEEPINTVL, keepalive_interval_s);
    set_option(easy, CURLOPT_NOSIGNAL, 1L);
    // Without it, libcurl waits for a name look-up to end even after an interruption.
    set_option(easy, CURLOPT_QUICK_EXIT, 1L);
    return headers;
}

}  // namespace chorus::net
