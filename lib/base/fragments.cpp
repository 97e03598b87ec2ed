#include "base/fragments.hpp"

#include <algorithm>
#include <cstring>

namespace chorus::base {
namespace {

constexpr std::size_t block_bytes = sizeof(std::uint32_t);
// More places need not be indexed: a text with few different blocks is found at any of them.
constexpr std::ptrdiff_t most_places_of_a_block = 16;

std::uint32_t block_at(std::string_view text, std::size_t at) {
    std::uint32_t block = 0;
    std::memcpy(&block, text.data() + at, block_bytes);
    return block;
}

std::size_t slot_of(std::uint32_t block) {
    return (block * 2654435761U) >> 16U;
}

}  // namespace

void Fragments::add(const std::string& known) {
    if (known.size() < least_bytes ||
        std::find(known_.begin(), known_.end(), known) != known_.end())
        return;
    const std::size_t index = known_.size();
    known_.push_back(known);
    step_ = std::min(step_, std::min(known.size(), run_bytes) - block_bytes + 1);
    for (std::size_t at = 0; at + block_bytes <= known.size(); ++at) {
        const std::uint32_t block = block_at(known, at);
        auto& places = places_[block];
        if (std::count_if(places.begin(), places.end(), [&](const Place& one) {
                return one.known == index;
            }) < most_places_of_a_block)
            places.push_back({index, at});
        filter_.set(slot_of(block));
    }
}

std::vector<Fragments::Span> Fragments::find(std::string_view text, std::size_t* work) const {
    std::vector<Span> spans;
    std::size_t done = 0;
    if (known_.empty()) return spans;
    for (std::size_t at = 0; at + block_bytes <= text.size(); at += step_) {
        ++done;
        const std::uint32_t block = block_at(text, at);
        if (!filter_.test(slot_of(block))) continue;
        const auto found = places_.find(block);
        if (found == places_.end()) continue;
        for (const Place& place : found->second) {
            const std::string_view known = known_[place.known];
            const auto before =
                std::mismatch(text.rend() - static_cast<std::ptrdiff_t>(at), text.rend(),
                              known.rend() - static_cast<std::ptrdiff_t>(place.at), known.rend());
            const auto after =
                std::mismatch(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                              known.begin() + static_cast<std::ptrdiff_t>(place.at), known.end());
            const Span span{static_cast<std::size_t>(text.rend() - before.first),
                            static_cast<std::size_t>(after.first - text.begin())};
            done += span.end - span.begin + 1;
            if (span.end - span.begin >= std::min(run_bytes, known.size())) spans.push_back(span);
        }
    }
    if (work != nullptr) *work = done;
    return spans;
}

std::size_t Fragments::open_end(std::string_view text) const {
    std::size_t longest = 0;
    for (const std::string_view known : known_)
        for (std::size_t size = 1; size < known.size(); ++size) {
            const std::string_view start = known.substr(0, size);
            const auto end =
                std::mismatch(text.rbegin(), text.rend(), start.rbegin(), start.rend());
            longest = std::max(longest, static_cast<std::size_t>(end.first - text.rbegin()));
        }
    return longest;
}

std::vector<std::string> base64_forms(std::string_view bytes) {
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<std::string> forms;
    // the bit offset in `bytes` at which the first whole character begins
    for (const std::size_t first_bit : {0U, 4U, 2U}) {
        std::string form;
        const auto bit = [&](std::size_t at) {
            return static_cast<unsigned char>(bytes[at / 8]) >> (7 - at % 8) & 1U;
        };
        for (std::size_t at = first_bit; at + 6 <= bytes.size() * 8; at += 6) {
            unsigned value = 0;
            for (std::size_t i = 0; i < 6; ++i) value = value << 1U | bit(at + i);
            form += alphabet[value];
        }
        std::string other = form;
        std::replace(other.begin(), other.end(), '+', '-');
        std::replace(other.begin(), other.end(), '/', '_');
        if (other != form) forms.push_back(std::move(other));
        forms.push_back(std::move(form));
    }
    return forms;
}

}  // namespace chorus::base
