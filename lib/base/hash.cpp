#include "base/hash.hpp"

#include <sha2.h>

#include <array>

#include "base/sha256.hpp"
#include "base/text.hpp"

namespace chorus::base {

struct Sha256::State {
    SHA2_CTX context{};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
    SHA256Init(&state_->context);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::add(std::string_view bytes) {
    SHA256Update(&state_->context, reinterpret_cast<const std::uint8_t*>(bytes.data()),
                 bytes.size());
}

std::string Sha256::hex() {
    std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
    SHA256Final(digest.data(), &state_->context);
    return base::hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string sha256_hex(std::string_view bytes) {
    Sha256 hash;
    hash.add(bytes);
    return hash.hex();
}

}  // namespace chorus::base
