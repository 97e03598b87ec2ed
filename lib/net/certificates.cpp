#include "net/certificates.hpp"

#include <algorithm>
#include <string_view>

#include "net/hashed_copy.hpp"
#include "sys/file.hpp"

namespace chorus::net {
namespace {

constexpr std::size_t most_bundle_bytes = 16U << 20;

// "1d3472b9.0"
bool is_hashed(const std::string& name) {
    constexpr std::size_t digits = 8;
    return name.size() > digits + 1 && name[digits] == '.' &&
           name.find_first_not_of("0123456789abcdef") == digits &&
           name.find_first_not_of("0123456789", digits + 1) == std::string::npos;
}

std::ptrdiff_t hashed_in(const std::string& directory) {
    if (!sys::is_directory(directory)) return 0;
    const auto names = sys::list_directory(directory);
    return std::count_if(names.begin(), names.end(), is_hashed);
}

std::ptrdiff_t certificates_in(const std::string& bundle) {
    constexpr std::string_view begin = "-----BEGIN ";
    const std::string text = sys::read_file(bundle, most_bundle_bytes);
    std::ptrdiff_t count = 0;
    for (std::size_t at = 0; (at = text.find(begin, at)) != std::string::npos; at += begin.size())
        ++count;
    return count;
}

Trust from_file(const std::string& file, const Transport& transport) {
    if (transport.hashed_copies.empty()) return {file, {}};
    const std::string copy = hashed_copy(file, transport.hashed_copies);
    return copy.empty() ? Trust{file, {}} : Trust{{}, copy};
}

}  // namespace

Trust trust_of(const Transport& transport) {
    const auto& bundles = transport.system_bundles;
    const bool is_named = !transport.ca_file.empty();
    const auto bundle = is_named ? std::find(bundles.begin(), bundles.end(), transport.ca_file)
                                 : std::find_if(bundles.begin(), bundles.end(), sys::exists);
    if (is_named && (bundle == bundles.end() || !sys::exists(*bundle)))
        return from_file(transport.ca_file, transport);
    if (!is_named && !transport.ca_directory.empty()) return {{}, transport.ca_directory};
    if (bundle == bundles.end()) return {{}, transport.system_directory};
    const std::ptrdiff_t hashed = hashed_in(transport.system_directory);
    if (hashed > 0 && hashed >= certificates_in(*bundle)) return {{}, transport.system_directory};
    return from_file(*bundle, transport);
}

}  // namespace chorus::net
