#include "base/hash.hpp"

#include <sha2.h>
#include <sys/types.h>

#include <array>

#include "base/text.hpp"

namespace chorus::base {

std::string sha256_hex(std::string_view bytes) {
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
    SHA256Final(digest.data(), &context);
    return hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

}  // namespace chorus::base
