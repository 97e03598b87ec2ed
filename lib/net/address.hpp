// Which addresses are of the whole Internet, and not of this host or its networks.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <string>

namespace chorus::net {

// By the registries of special-purpose addresses of IANA (RFC 6890): loopback, private, shared,
// link-local, benchmarking, multicast and reserved ones are not. An address of IPv6 that stands for
// one of IPv4 is what that is.
bool is_public(const in_addr& address);
bool is_public(const in6_addr& address);
bool is_public(const sockaddr& address);  // false for another family

// What a refusal of one says before its place.
extern const std::string private_address;

}  // namespace chorus::net
