#include "repo/source.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>

#include "base/error.hpp"
#include "repo/repository.hpp"
#include "sys/file.hpp"

namespace chorus::repo {

sys::GitPlace git_of_source(const std::string& directory) {
    return sys::exists(directory) ? sys::find_git(sys::real_path(directory)) : sys::GitPlace();
}

namespace {

// Decodes percent escapes of a file address: "%20" is a blank.
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
    const sys::GitPlace place = git_of_source(directory);
    return {directory, directory + "/.git", place.git_directory, place.common_directory};
}

Source without_credentials(const std::string& url) {
    const auto scheme = url.find("://");
    const auto begin = scheme + 3;
    const auto end = scheme == std::string::npos ? scheme : url.rfind('@', url.find('/', begin));
    if (end == std::string::npos || end < begin) return {url, {}, {}};
    const std::string given = url.substr(begin, end - begin);
    const std::string user = given.substr(0, given.find(':'));
    const std::string password = given.substr(std::min(user.size() + 1, given.size()));
    const bool keeps_user = url.starts_with("ssh://");
    const std::string address =
        url.substr(0, begin) + (keeps_user ? user + "@" : "") + url.substr(end + 1);
    return {address, decoded(user), decoded(password)};
}

std::string path_of(const std::string& url) {
    constexpr std::string_view host = "localhost";
    std::string path = url.substr(std::string_view("file://").size());
    if (path.starts_with(std::string(host) + "/")) path.erase(0, host.size());
    return path;
}

Source file_source(const std::string& url) {
    const std::string path = path_of(url);
    if (!path.starts_with('/'))
        throw base::Error(base::ErrorCode::failed,
                          "clone: " + url + ": a file URL must name a path on this machine",
                          "use three slashes: file:///home/...");
    return {"file://" + path, {}, {}, places_of(decoded(path))};
}

// Whether an address names a transport helper: "ext::sh -c ...", unlike "http://[::1]/x".
bool has_helper(std::string_view address) {
    const auto is_of_name = [](unsigned char c) { return std::isalnum(c) != 0; };
    const auto name = std::find_if_not(address.begin(), address.end(), is_of_name);
    return std::string_view(name, address.end()).starts_with("::");
}

}  // namespace

// "host:path" is ssh for git; an address with a slash before its colon is a path.
bool Source::is_ssh() const {
    const bool names_a_host =
        address.find("://") == std::string::npos && address.find(':') < address.find('/');
    return address.starts_with("ssh://") || names_a_host;
}

bool Source::is_local() const {
    return !is_ssh() && !address.starts_with("https://") && !address.starts_with("http://");
}

std::string local_directory(const std::string& source) {
    if (source.starts_with("file://")) return decoded(path_of(source));
    return sys::is_directory(source) ? source : "";
}

Source find_source(const std::string& given) {
    if (given.starts_with("file://")) return file_source(given);
    if (sys::is_directory(given)) {
        const std::string path = sys::real_path(given);
        return {path, {}, {}, places_of(path)};
    }
    Source source = without_credentials(given);
    if (!source.is_local() && !has_helper(given)) return source;
    const bool is_path = !has_helper(given) && given.find("://") == std::string::npos;
    throw base::Error(
        is_path ? base::ErrorCode::not_found : base::ErrorCode::failed,
        "clone: " + source.address + ": " +
            (is_path ? "there is no such directory"
                     : "only https, http, ssh and file URLs and paths can be cloned"));
}

}  // namespace chorus::repo
