// Describes a failed transfer in words for people. Include it in this room's .cpp files only.
#pragma once

#include <cstdint>
#include <string>

#include "net/curl.hpp"
#include "net/http.hpp"

namespace chorus::net {

struct Fault {
    TransportFault kind = TransportFault::none;
    std::string message;
    bool lasts = false;  // retrying does not help
};

// What libcurl knew when the transfer failed.
struct Circumstances {
    std::string place;
    std::string reason;  // libcurl's own words, may be empty
    int error_number = 0;
    long proxy_status = 0;  // what a proxy answered to CONNECT, or 0
    bool proxy_configured = false;
    Timeouts timeouts;
};

Fault fault_of(CURLcode code, const Circumstances& circumstances);

}  // namespace chorus::net
