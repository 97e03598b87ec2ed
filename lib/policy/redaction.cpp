#include "policy/redaction.hpp"

#include <algorithm>

#include "policy/key_shapes.hpp"

namespace chorus::policy {
namespace {

bool goes_on(std::string_view text, std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
}

// Whole characters: what is left stays UTF-8.
std::vector<Finding> active_in(const base::Fragments& secrets, std::string_view text) {
    std::vector<Finding> all;
    for (auto [begin, end] : secrets.find(text)) {
        while (begin > 0 && goes_on(text, begin)) --begin;
        while (goes_on(text, end)) ++end;
        all.push_back({begin, end, "key"});
    }
    return all;
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

std::string replaced(std::string_view text, std::vector<Finding> all) {
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

}  // namespace

Redaction::Redaction(const std::vector<std::string>& active_secrets) {
    for (const std::string& secret : active_secrets) add(secret);
}

void Redaction::add(const std::string& secret) {
    if (secret.size() < base::Fragments::least_bytes) return;
    active_.push_back(secret);
    secrets_.add(secret);
    for (const std::string& form : base::base64_forms(secret)) secrets_.add(form);
}

std::string Redaction::apply(std::string_view text) const {
    std::vector<Finding> all = active_in(secrets_, text);
    for (const Finding& key : find_keys(text)) all.push_back(key);
    return replaced(text, std::move(all));
}

std::string Redaction::without_active(std::string_view text) const {
    return replaced(text, active_in(secrets_, text));
}

bool Redaction::changes(std::string_view text) const {
    return holds_active(text) || !find_keys(text).empty();
}

bool Redaction::holds_active(std::string_view text) const {
    return !secrets_.find(text).empty();
}

std::size_t Redaction::decided_bytes(std::string_view text) const {
    std::size_t decided = text.size() - secrets_.open_end(text);
    for (const Finding& one : merged(active_in(secrets_, text)))
        if (one.begin < decided && decided < one.end) decided = one.begin;
    while (decided > 0 && goes_on(text, decided)) --decided;
    return decided;
}

void RedactedStream::write(std::string_view piece) {
    held_ += piece;
    const std::size_t shown = redaction_.decided_bytes(held_);
    if (shown == 0) return;
    sink_(redaction_.without_active(std::string_view(held_).substr(0, shown)));
    held_.erase(0, shown);
}

void RedactedStream::end() {
    if (!held_.empty()) sink_(redaction_.without_active(held_));
    held_.clear();
}

}  // namespace chorus::policy
