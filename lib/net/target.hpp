// The destination of a URL, parsed by libcurl itself so that what is checked and what is connected
// to cannot differ. Include it in this room's .cpp files only.
#pragma once

#include <string>

#include "net/curl.hpp"

namespace chorus::net {

struct Target {
    UrlHandle url;
    bool https = false;
    bool loopback = false;
    bool is_private = false;  // the host is written as an address that is not public
    std::string place;        // "api.example.com:443": no user, no path, no query
    std::string refusal;      // why nothing may be sent there, or empty
};

Target parse_target(const std::string& url, bool plain_http);

}  // namespace chorus::net
