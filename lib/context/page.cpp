#include "context/page.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/hash.hpp"

namespace chorus::embedded {
extern const std::string_view context_page_html;
extern const std::string_view context_page_css;
extern const std::string_view context_page_js;
}  // namespace chorus::embedded

namespace chorus::context {
namespace {

unsigned value_of(char hexadecimal) {
    return static_cast<unsigned>(hexadecimal <= '9' ? hexadecimal - '0' : hexadecimal - 'a' + 10);
}

// Returns the SHA-256 in base64, as a Content-Security-Policy names a script. 32 bytes are ten
// groups of three and one of two.
std::string policy_hash(std::string_view text) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string hash;
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const char c : base::sha256_hex(text)) {
        bits = (bits << 4U) | value_of(c);
        held += 4;
        if (held < 6) continue;
        held -= 6;
        hash += digits[(bits >> held) & 63U];
    }
    hash += digits[(bits << (6 - held)) & 63U];
    return hash + "=";
}

}  // namespace

std::string page(const PageParts& parts) {
    const std::string style_hash = policy_hash(embedded::context_page_css);
    const std::string script_hash = policy_hash(embedded::context_page_js);
    const std::array<std::pair<std::string_view, std::string_view>, 9> all{{
        {"title", parts.title},
        {"heading", parts.heading},
        {"facts", parts.facts},
        {"chart", parts.chart},
        {"messages", parts.messages},
        {"style", embedded::context_page_css},
        {"style_hash", style_hash},
        {"script", embedded::context_page_js},
        {"script_hash", script_hash},
    }};
    std::string out;
    out.reserve(parts.messages.size() + (64U << 10U));
    std::string_view rest = embedded::context_page_html;
    for (std::size_t at = rest.find('@'); at != std::string_view::npos; at = rest.find('@')) {
        out += rest.substr(0, at);
        const std::size_t end = rest.find('@', at + 1);
        const std::string_view name = rest.substr(at + 1, end - at - 1);
        for (const auto& [known, text] : all)
            if (known == name) out += text;
        rest.remove_prefix(end + 1);
    }
    return out.append(rest);
}

}  // namespace chorus::context
