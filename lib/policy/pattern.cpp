#include "policy/pattern.hpp"

#include <re2/re2.h>

#include <fmt/format.h>

#include "base/limits.hpp"
#include "base/text.hpp"

namespace chorus::policy {
namespace {

// Bounds the compiled program (about 4,000 instructions), so that a pattern that matches slowly on
// 64 KiB is refused as too large.
constexpr std::int64_t compiled_bytes = 256 << 10;

re2::StringPiece piece(std::string_view text) {
    return {text.data(), text.size()};
}

RE2::Options options() {
    RE2::Options all;
    all.set_max_mem(compiled_bytes);
    all.set_log_errors(false);
    return all;
}

bool is_lookaround(const RE2& expression) {
    const std::string& part = expression.error_arg();
    return expression.error_code() == RE2::ErrorBadPerlOp &&
           (part.starts_with("(?=") || part.starts_with("(?!") || part.starts_with("(?<"));
}

// RE2 says "missing ): tool:(", and the caller shows the pattern anyway.
std::string reason(const RE2& expression) {
    if (is_lookaround(expression)) return "there is no lookaround, list the exceptions under deny";
    const std::string& whole = expression.error();
    const std::string part = ": " + expression.error_arg();
    return expression.error_arg() == expression.pattern() && whole.ends_with(part)
               ? whole.substr(0, whole.size() - part.size())
               : whole;
}

}  // namespace

Pattern::Pattern(std::string text) : text_(std::move(text)), beginnings_(text_) {}
Pattern::~Pattern() = default;

const re2::RE2& Pattern::compiled() const {
    std::call_once(once_, [&] { compiled_ = std::make_unique<RE2>(text_, options()); });
    return *compiled_;
}

bool Pattern::matches(std::string_view text) const {
    return beginnings_.may_match(text) && RE2::FullMatch(piece(text), compiled());
}

bool Pattern::is_in(std::string_view text) const {
    return RE2::PartialMatch(piece(text), compiled());
}

std::optional<std::string> Pattern::fault() const {
    using base::limits::pattern_bytes;
    if (text_.size() > pattern_bytes)
        return fmt::format("is {} bytes long, at most {}", text_.size(), pattern_bytes);
    if (text_.find('\0') != std::string::npos) return "holds a NUL";
    if (base::find_invalid_utf8(text_)) return "is not valid UTF-8";
    if (compiled().ok()) return std::nullopt;
    return reason(compiled());
}

std::string exact_pattern(std::string_view text) {
    return RE2::QuoteMeta(piece(text));
}

}  // namespace chorus::policy
