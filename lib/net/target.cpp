#include "net/target.hpp"

#include <arpa/inet.h>

#include <new>

#include "base/text.hpp"
#include "net/address.hpp"

namespace chorus::net {
namespace {

std::string part_of(CURLU* url, CURLUPart part, unsigned flags = 0) {
    char* text = nullptr;
    if (curl().url_get(url, part, &text, flags) != CURLUE_OK) return {};
    return TextHandle(text).get();
}

bool is_private_address(std::string host) {
    in_addr four{};
    if (inet_pton(AF_INET, host.c_str(), &four) == 1) return !is_public(four);
    if (host.size() < 2 || host.front() != '[') return host == "localhost";
    host = host.substr(1, host.find_first_of("]%") - 1);
    in6_addr six{};
    return inet_pton(AF_INET6, host.c_str(), &six) == 1 && !is_public(six);
}

bool is_loopback(const std::string& host) {
    if (host == "localhost" || host == "[::1]") return true;
    in_addr address{};
    return inet_pton(AF_INET, host.c_str(), &address) == 1 &&
           (ntohl(address.s_addr) >> 24) == IN_LOOPBACKNET;
}

}  // namespace

Target parse_target(const std::string& url, bool plain_http) {
    Target target;
    target.url.reset(curl().url());
    if (!target.url) throw std::bad_alloc();
    const CURLUcode result = curl().url_set(target.url.get(), CURLUPART_URL, url.c_str(), 0);
    if (result != CURLUE_OK) {
        target.refusal = "not a URL: " + base::to_lower_ascii(curl().url_strerror(result));
        return target;
    }
    const std::string scheme = part_of(target.url.get(), CURLUPART_SCHEME);
    const std::string host = base::to_lower_ascii(part_of(target.url.get(), CURLUPART_HOST));
    target.https = scheme == "https";
    target.loopback = is_loopback(host);
    target.is_private = is_private_address(host);
    target.place = host + ":" + part_of(target.url.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
    if (!target.https && scheme != "http")
        target.refusal = "neither http nor https: " + scheme + "://" + target.place;
    else if (!target.https && !target.loopback && !plain_http)
        target.refusal = "plain http is for loopback addresses only: " + target.place;
    return target;
}

}  // namespace chorus::net
