#include "base/hash.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "base/sha256.hpp"
#include "base/text.hpp"

namespace chorus::base {

void Sha256::add(std::string_view bytes) {
    SHA256Update(&context_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::string Sha256::hex() {
    std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
    SHA256Final(digest.data(), &context_);
    return base::hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string sha256_hex(std::string_view bytes) {
    Sha256 hash;
    hash.add(bytes);
    return hash.hex();
}

std::string fnv1a_hex(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return fmt::format("{:016x}", hash);
}

}  // namespace chorus::base
