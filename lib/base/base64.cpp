#include "base/base64.hpp"

#include <resolv.h>

namespace chorus::base {

std::string base64_encode(std::string_view bytes) {
    // the function writes a terminator too
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int size = b64_ntop(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                              text.data(), text.size());
    text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return text;
}

std::optional<std::string> base64_decode(const std::string& text) {
    if (text.find('\0') != text.npos) return std::nullopt;
    std::string bytes(text.size() / 4 * 3 + 3, '\0');
    const int size =
        b64_pton(text.c_str(), reinterpret_cast<unsigned char*>(bytes.data()), bytes.size());
    if (size < 0) return std::nullopt;
    bytes.resize(static_cast<std::size_t>(size));
    return bytes;
}

}  // namespace chorus::base
