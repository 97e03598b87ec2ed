// Translates a request into libcurl's options. Include it in this room's .cpp files only.
#pragma once

#include <string>

#include "net/certificates.hpp"
#include "net/curl.hpp"
#include "net/http.hpp"
#include "net/target.hpp"

namespace chorus::net {

void check_option(CURLoption option, CURLcode result);

// Returns the proxy for the target, "" for none. libcurl applies no_proxy.
const std::string& proxy_for(const Transport& transport, const Target& target);
// Sets everything but the callbacks. Request, target and the returned list must outlive the
// transfer. Throws Error(bad_request), without the value, for a header with a line break.
ListHandle set_options(CURL* easy, const Transport& transport, const Trust& trust,
                       const HttpRequest& request, const Target& target);

// Throws Error(failed) if libcurl does not know the option.
template <typename Value>
void set_option(CURL* easy, CURLoption option, Value value) {
    check_option(option, curl().easy_setopt(easy, option, value));
}

}  // namespace chorus::net
