// Tells public Internet addresses from those of this host and its networks.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <string>

namespace chorus::net {

// Follows IANA's registries of special-purpose addresses (RFC 6890): loopback, private, shared,
// link-local, benchmarking, multicast and reserved addresses are not public. An IPv6 address that
// embeds an IPv4 address is judged by the latter.
bool is_public(const in_addr& address);
bool is_public(const in6_addr& address);
bool is_public(const sockaddr& address);  // false for another family

// Begins the message that refuses such an address; the address follows.
extern const std::string private_address;

}  // namespace chorus::net
