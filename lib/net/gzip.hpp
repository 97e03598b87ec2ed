// A gzip stream unpacked as it comes, and whole texts. libcurl's own unpacking takes a stream that
// ends early for a whole one, so it is switched off.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace chorus::net {

class Gunzip {
  public:
    enum class Outcome { taken, refused, damaged };  // refused: the sink returned false

    Gunzip();
    ~Gunzip();
    // Hands on everything that can be unpacked so far, in pieces of at most 32 KiB.
    Outcome feed(std::string_view bytes, const std::function<bool(std::string_view)>& sink);
    // Nothing came at all, or the last member's end did. What follows that end is passed over.
    bool complete() const;

  private:
    struct Stream;
    std::unique_ptr<Stream> stream_;
};

// Packed fast rather than small.
std::string gzip(std::string_view text);
// Nothing where it is damaged, or longer than `most`.
std::optional<std::string> gunzip(std::string_view packed, std::size_t most);

}  // namespace chorus::net
