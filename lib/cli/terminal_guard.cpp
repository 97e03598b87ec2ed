#include "cli/terminal_guard.hpp"

#include <array>
#include <cstdio>

#include "base/text.hpp"

namespace chorus::cli {
namespace {

constexpr char32_t first_past_ascii = 0x80;
constexpr char32_t first_with_surrogates = 0x10000;

std::string escaped(char32_t code_point) {
    std::array<char, 16> text{};
    if (code_point < first_with_surrogates) {
        std::snprintf(text.data(), text.size(), "\\u%04x", static_cast<unsigned>(code_point));
    } else {
        const unsigned offset = static_cast<unsigned>(code_point) - first_with_surrogates;
        std::snprintf(text.data(), text.size(), "\\u%04x\\u%04x", 0xd800U + (offset >> 10U),
                      0xdc00U + (offset & 0x3ffU));
    }
    return text.data();
}

}  // namespace

std::string guarded(std::string_view text) {
    std::string out;
    std::size_t from = 0;
    for (std::size_t at = 0; const auto hidden = base::find_hidden(text, at);) {
        at = hidden->offset + hidden->size;
        if (hidden->code_point && *hidden->code_point < first_past_ascii) continue;
        out += text.substr(from, hidden->offset - from);
        out += hidden->code_point ? escaped(*hidden->code_point) : "\xef\xbf\xbd";
        from = at;
    }
    return out.append(text.substr(from));
}

TerminalGuard::TerminalGuard(std::ostream& stream) : stream_(stream), target_(stream.rdbuf(this)) {}

TerminalGuard::~TerminalGuard() {
    put(guarded(rest_));
    target_->pubsync();
    stream_.rdbuf(target_);
}

bool TerminalGuard::put(std::string_view text) {
    const auto size = static_cast<std::streamsize>(text.size());
    return target_->sputn(text.data(), size) == size;
}

std::streamsize TerminalGuard::xsputn(const char* text, std::streamsize size) {
    rest_.append(text, static_cast<std::size_t>(size));
    const std::size_t whole = rest_.size() - base::unfinished_utf8(rest_);
    const bool done = put(guarded(std::string_view(rest_).substr(0, whole)));
    rest_.erase(0, whole);
    return done ? size : 0;
}

TerminalGuard::int_type TerminalGuard::overflow(int_type byte) {
    if (traits_type::eq_int_type(byte, traits_type::eof())) return traits_type::not_eof(byte);
    const char one = traits_type::to_char_type(byte);
    return xsputn(&one, 1) == 1 ? byte : traits_type::eof();
}

int TerminalGuard::sync() {
    return target_->pubsync();
}

}  // namespace chorus::cli
