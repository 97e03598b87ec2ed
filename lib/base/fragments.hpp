// Finds pieces of known texts in another: any run of bytes that is long enough to give one of them
// away.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace chorus::base {

class Fragments {
  public:
    static constexpr std::size_t run_bytes = 12;
    static constexpr std::size_t least_bytes = 8;
    struct Span {
        std::size_t begin = 0;
        std::size_t end = 0;
    };

    // Ignored when shorter than least_bytes, or known.
    void add(const std::string& known);
    // Each run of at least run_bytes bytes that stands in a known text too, as long as it is; of a
    // known text that is shorter the whole. In no order, and they may overlap.
    // `work`: how many bytes were compared and places looked at.
    std::vector<Span> find(std::string_view text, std::size_t* work = nullptr) const;
    // How many bytes at the end may be the beginning of such a run, if more text follows.
    std::size_t open_end(std::string_view text) const;

  private:
    struct Place {
        std::size_t known = 0;
        std::size_t at = 0;
    };
    std::vector<std::string> known_;
    // Where each block of four bytes stands; the filter spares most of the look-ups.
    std::unordered_map<std::uint32_t, std::vector<Place>> places_;
    std::bitset<1U << 16U> filter_;
    std::size_t step_ = run_bytes;  // a run holds a block at one of the places that are looked at
};

// The characters of `bytes` in base64 that do not depend on what stands around it, for each of the
// three places that it can have in a longer text; those of base64url where they differ.
std::vector<std::string> base64_forms(std::string_view bytes);

}  // namespace chorus::base
