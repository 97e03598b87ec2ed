#include "repo/source.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"

namespace chorus::repo {
namespace {

[[noreturn]] void refuse(const std::string& given, const std::string& why) {
    throw base::Error(base::ErrorCode::failed, "clone: " + without_credentials(given) + ": " + why);
}

// "host:path" is ssh for git; a path with a slash before its colon is a path.
bool names_a_host(const std::string& given) {
    return given.find("://") != std::string::npos || given.find(':') < given.find('/');
}

// Certificates and what getaddrinfo(3) looks at.
const std::vector<std::string>& files_for_the_network() {
    static const std::vector<std::string> files{
        "/etc/ssl",         "/etc/pki",           "/etc/ca-certificates",
        "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/host.conf",
        "/etc/gai.conf",    "/etc/hosts",         "/etc/services"};
    return files;
}

// A work tree's .git may be a file that names another directory, which in turn names the common
// one.
std::string named_in(const std::string& file, const std::string& base) {
    if (sys::is_directory(file)) return {};
    const auto text = sys::read_file_if_there(file, base::limits::config_bytes);
    if (!text) return {};
    std::string_view name = base::trim(*text);
    if (name.starts_with("gitdir:")) name = base::trim(name.substr(7));
    return name.starts_with('/') ? std::string(name) : sys::join_path(base, name);
}

std::vector<std::string> places_of(const std::string& directory) {
    std::vector<std::string> places{directory, directory + "/.git"};
    const std::string git = named_in(directory + "/.git", directory);
    if (git.empty()) return places;
    places.push_back(git);
    const std::string common = named_in(git + "/commondir", git);
    if (!common.empty()) places.push_back(common);
    return places;
}

}  // namespace

std::string without_credentials(const std::string& url) {
    const auto scheme = url.find("://");
    if (scheme == std::string::npos) return url;
    const auto authority = scheme + 3;
    const auto at = url.rfind('@', url.find('/', authority));
    return at == std::string::npos || at < authority
               ? url
               : url.substr(0, authority) + url.substr(at + 1);
}

Source find_source(const std::string& given) {
    constexpr std::array<std::string_view, 2> remote{"https://", "http://"};
    const std::string origin = without_credentials(given);
    if (std::any_of(remote.begin(), remote.end(),
                    [&](std::string_view scheme) { return given.starts_with(scheme); }))
        return {given, origin, true, files_for_the_network()};
    if (given.starts_with("file://")) return {given, origin, false, places_of(given.substr(7))};
    if (sys::is_directory(given)) {
        const std::string path = sys::real_path(given);
        return {path, path, false, places_of(path)};
    }
    if (names_a_host(given))
        refuse(given, "only https, http and file addresses and paths are cloned");
    refuse(given, "there is no such directory");
}

}  // namespace chorus::repo
