#include "net/address.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace chorus::net {
namespace {

struct Block {
    std::uint32_t first;
    int bits;
};

constexpr std::array<Block, 11> not_public{{{0x00000000, 8},
                                            {0x0a000000, 8},
                                            {0x64400000, 10},
                                            {0x7f000000, 8},
                                            {0xa9fe0000, 16},
                                            {0xac100000, 12},
                                            {0xc0000000, 24},
                                            {0xc0a80000, 16},
                                            {0xc6120000, 15},
                                            {0xe0000000, 4},
                                            {0xf0000000, 4}}};

in_addr four_at(const in6_addr& address, std::size_t offset) {
    in_addr four{};
    std::memcpy(&four, address.s6_addr + offset, sizeof four);
    return four;
}

}  // namespace

const std::string private_address = "a private address: ";

bool is_public(const in_addr& address) {
    const std::uint32_t value = ntohl(address.s_addr);
    return std::none_of(not_public.begin(), not_public.end(), [value](const Block& block) {
        return value >> (32 - block.bits) == block.first >> (32 - block.bits);
    });
}

bool is_public(const in6_addr& address) {
    const std::uint8_t* bytes = address.s6_addr;
    const bool upper_zero = std::all_of(bytes, bytes + 10, [](std::uint8_t b) { return b == 0; });
    // ::, ::1, and IPv4 written as ::a.b.c.d and ::ffff:a.b.c.d
    if (upper_zero) return is_public(four_at(address, 12));
    constexpr std::array<std::uint8_t, 12> nat64{0, 0x64, 0xff, 0x9b};
    if (std::equal(nat64.begin(), nat64.end(), bytes)) return is_public(four_at(address, 12));
    if (bytes[0] == 0x20 && bytes[1] == 0x02) return is_public(four_at(address, 2));
    return (bytes[0] & 0xe0) == 0x20;  // 2000::/3 is all that has been allocated
}

bool is_public(const sockaddr& address) {
    if (address.sa_family == AF_INET)
        return is_public(reinterpret_cast<const sockaddr_in&>(address).sin_addr);
    return address.sa_family == AF_INET6 &&
           is_public(reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

}  // namespace chorus::net
