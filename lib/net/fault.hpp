// What went wrong on the way, in people's words. Include it in this room's .cpp files only.
#pragma once

#include <cstdint>
#include <string>

#include "net/curl.hpp"
#include "net/http.hpp"

namespace chorus::net {

struct Fault {
    TransportFault kind = TransportFault::none;
    std::string message;
    bool lasts = false;  // another try comes to the same
};

// What libcurl knew when it gave up.
struct Circumstances {
    std::string place;
    std::string reason;  // its own words, may be empty
    int error_number = 0;
    long proxy_status = 0;  // what a proxy answered to CONNECT, or 0
    bool proxy_configured = false;
    Timeouts timeouts;
};

Fault fault_of(CURLcode code, const Circumstances& circumstances);

}  // namespace chorus::net
