#include "policy/redaction.hpp"

#include <algorithm>
#include <cstring>

#include "policy/key_shapes.hpp"

namespace chorus::policy {
namespace {

constexpr std::size_t least_secret_bytes = 8;

// memmem, because std::string_view::find is slow where the first byte is frequent.
std::size_t find(std::string_view text, std::string_view part, std::size_t from) {
    if (from >= text.size()) return std::string_view::npos;
    const void* found = memmem(text.data() + from, text.size() - from, part.data(), part.size());
    return found == nullptr
               ? std::string_view::npos
               : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

void append_exact(std::vector<Finding>& all, std::string_view text,
                  const std::vector<std::string>& secrets) {
    for (const std::string& secret : secrets)
        for (std::size_t at = 0; (at = find(text, secret, at)) != std::string_view::npos; ++at)
            all.push_back({at, at + secret.size(), "key"});
}

// What overlaps becomes one, with the name of what begins first, an active secret's before a
// shape's.
std::vector<Finding> merged(std::vector<Finding> all) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Finding& a, const Finding& b) { return a.begin < b.begin; });
    std::vector<Finding> kept;
    for (const Finding& one : all) {
        if (kept.empty() || one.begin >= kept.back().end) {
            kept.push_back(one);
        } else {
            kept.back().end = std::max(kept.back().end, one.end);
        }
    }
    return kept;
}

}  // namespace

Redaction::Redaction(std::vector<std::string> active_secrets) {
    for (auto& secret : active_secrets) add(std::move(secret));
}

void Redaction::add(std::string secret) {
    if (secret.size() < least_secret_bytes ||
        std::find(secrets_.begin(), secrets_.end(), secret) != secrets_.end())
        return;
    const auto place =
        std::find_if(secrets_.begin(), secrets_.end(),
                     [&](const std::string& other) { return other.size() < secret.size(); });
    secrets_.insert(place, std::move(secret));
}

std::string Redaction::apply(std::string_view text) const {
    std::vector<Finding> all;
    append_exact(all, text, secrets_);
    for (const Finding& key : find_keys(text)) all.push_back(key);
    std::string out;
    out.reserve(text.size());
    std::size_t at = 0;
    for (const Finding& one : merged(std::move(all))) {
        out.append(text.substr(at, one.begin - at))
            .append("[redacted:")
            .append(one.kind)
            .append("]");
        at = one.end;
    }
    return out.append(text.substr(at));
}

bool Redaction::changes(std::string_view text) const {
    return holds_active(text) || !find_keys(text).empty();
}

bool Redaction::holds_active(std::string_view text) const {
    return std::any_of(secrets_.begin(), secrets_.end(), [&](const std::string& secret) {
        return find(text, secret, 0) != std::string_view::npos;
    });
}

}  // namespace chorus::policy
