// A request as libcurl's options. Include it in this room's .cpp files only.
#pragma once

#include <string>

#include "net/curl.hpp"
#include "net/http.hpp"
#include "net/target.hpp"
#include "net/trust.hpp"

namespace chorus::net {

void check_option(CURLoption option, CURLcode result);

// The proxy that requests to the target are sent to unless no_proxy names it; "" for none.
const std::string& proxy_for(const Transport& transport, const Target& target);
// Everything but callbacks. Request and target must outlive the transfer, as must the list that is
// returned. Throws Error(bad_request) for a header with a line break, without naming its value.
ListHandle set_options(CURL* easy, const Transport& transport, const Trust& trust,
                       const Request& request, const Target& target);

// Throws Error(failed): a libcurl that does not know the option.
template <typename Value>
void set_option(CURL* easy, CURLoption option, Value value) {
    check_option(option, curl().easy_setopt(easy, option, value));
}

}  // namespace chorus::net
