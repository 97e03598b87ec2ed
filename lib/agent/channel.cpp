#include "agent/channel.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace chorus::agent {
namespace {

constexpr std::string_view webhook = "webhook:";
constexpr std::string_view command = "command:";

bool is_loopback(std::string_view host) {
    return host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

// "example.com" of "user@example.com:80/path"
std::string_view host_of(std::string_view rest) {
    rest = rest.substr(0, rest.find_first_of("/?#\\"));
    rest.remove_prefix(rest.rfind('@') + 1);
    const std::size_t end = rest.starts_with('[') ? rest.find(']') + 1 : rest.find(':');
    return rest.substr(0, end);
}

std::string url_problem(std::string_view url) {
    const auto is_blank = [](unsigned char c) { return c <= ' ' || c == 0x7f; };
    if (std::any_of(url.begin(), url.end(), is_blank))
        return "the URL contains a blank or a control character";
    const std::size_t colon = url.find("://");
    const std::string scheme = base::to_lower_ascii(url.substr(0, colon));
    if (colon == std::string_view::npos || (scheme != "https" && scheme != "http"))
        return "the URL does not begin with https://";
    const std::string host = base::to_lower_ascii(host_of(url.substr(colon + 3)));
    if (host.empty()) return "the URL has no host";
    if (scheme == "http" && !is_loopback(host))
        return "plain http is for loopback addresses only; use https";
    return {};
}

}  // namespace

const char* const channel_hint =
    "use webhook:https://HOST/PATH to post, or command:SHELL to run a command";

std::string webhook_host(std::string_view url) {
    return base::to_lower_ascii(host_of(url.substr(url.find("://") + 3)));
}

std::string channel_problem(std::string_view text) {
    if (text.empty()) return {};
    if (text.find('\0') != std::string_view::npos) return "it contains a NUL byte";
    if (text.starts_with(webhook)) return url_problem(text.substr(webhook.size()));
    if (!text.starts_with(command)) return "neither webhook:URL nor command:SHELL";
    return base::trim(text.substr(command.size())).empty() ? "the command is empty" : "";
}

Channel parse_channel(std::string_view text) {
    if (text.starts_with(webhook))
        return {Channel::Kind::webhook, std::string(text.substr(webhook.size()))};
    if (text.starts_with(command))
        return {Channel::Kind::command, std::string(text.substr(command.size()))};
    return {};
}

}  // namespace chorus::agent
