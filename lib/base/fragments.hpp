// Finds pieces of known texts in another text: any run of bytes that is long enough to reveal one
// of them.
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

    // Ignored when shorter than least_bytes or already known.
    void add(const std::string& known);
    // Returns every maximal run of at least run_bytes bytes that also occurs in a known text; a
    // shorter known text is found only whole. The spans are unordered and may overlap.
    // `work` receives the number of bytes compared and places looked at.
    std::vector<Span> find(std::string_view text, std::size_t* work = nullptr) const;
    // Returns how many bytes at the end may begin such a run if more text follows.
    std::size_t open_end(std::string_view text) const;

  private:
    struct Place {
        std::size_t known = 0;
        std::size_t at = 0;
    };
    std::vector<std::string> known_;
    // The places of each block of four bytes; the filter avoids most look-ups.
    std::unordered_map<std::uint32_t, std::vector<Place>> places_;
    std::bitset<1U << 16U> filter_;
    std::size_t step_ = run_bytes;  // small enough that every run contains a block looked at
};

// Returns the base64 characters of `bytes` that do not depend on the bytes around it, for each of
// its three possible alignments, and the base64url form where it differs.
std::vector<std::string> base64_forms(std::string_view bytes);

}  // namespace chorus::base
