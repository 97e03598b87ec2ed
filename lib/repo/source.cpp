#include "repo/source.hpp"

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "sys/file.hpp"
#include "sys/git_place.hpp"

namespace chorus::repo {
namespace {

// "%20" is a blank in a file address.
std::string decoded(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned char byte = 0;
        const char* const digits = text.data() + i + 1;
        const bool is_code = text[i] == '%' && i + 2 < text.size() &&
                             std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
        plain += is_code ? static_cast<char>(byte) : text[i];
        if (is_code) i += 2;
    }
    return plain;
}

// A bare repository is the directory itself.
std::vector<std::string> places_of(const std::string& directory) {
    const sys::GitPlace place = sys::find_git(directory);
    return {directory, directory + "/.git", place.git_directory, place.common_directory};
}

}  // namespace

std::string without_credentials(const std::string& url) {
    const auto scheme = url.find("://");
    if (scheme == std::string::npos) return url;
    const auto authority = scheme + 3;
    const auto at = url.rfind('@', url.find('/', authority));
    if (at == std::string::npos || at < authority) return url;
    if (!url.starts_with("ssh://")) return url.substr(0, authority) + url.substr(at + 1);
    return url.substr(0, std::min(at, url.find(':', authority))) + url.substr(at);
}

// "host:path" is ssh for git; a path with a slash before its colon is a path.
Transport transport_of(const std::string& address) {
    if (address.starts_with("https://") || address.starts_with("http://")) return Transport::http;
    const bool names_a_host =
        address.find("://") == std::string::npos && address.find(':') < address.find('/');
    return address.starts_with("ssh://") || names_a_host ? Transport::ssh : Transport::local;
}

Source find_source(const std::string& given) {
    const std::string origin = without_credentials(given);
    if (given.starts_with("file://"))
        return {Transport::local, given, origin, places_of(decoded(given.substr(7)))};
    if (sys::is_directory(given)) {
        const std::string path = sys::real_path(given);
        return {Transport::local, path, path, places_of(path)};
    }
    const bool has_helper = given.find("::") != std::string::npos;  // "ext::sh -c …"
    const Transport transport = transport_of(given);
    if (transport != Transport::local && !has_helper) return {transport, given, origin};
    const bool is_path = !has_helper && given.find("://") == std::string::npos;
    throw base::Error(
        base::ErrorCode::failed,
        "clone: " + origin + ": " +
            (is_path ? "there is no such directory"
                     : "only https, http, ssh and file addresses and paths are cloned"));
}

}  // namespace chorus::repo
