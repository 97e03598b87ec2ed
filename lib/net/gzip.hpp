// Unpacks a gzip stream as it arrives; packs and unpacks whole texts. libcurl's own unpacking
// accepts a stream that ends early, so it is switched off.
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
    // Passes everything that can be unpacked so far to the sink, in pieces of at most 32 KiB.
    Outcome feed(std::string_view bytes, const std::function<bool(std::string_view)>& sink);
    // True if nothing arrived or the last member is complete. Bytes after its end are ignored.
    bool complete() const;

  private:
    struct Stream;
    std::unique_ptr<Stream> stream_;
};

// Packs for speed, not for size.
std::string gzip(std::string_view text);
// Returns nothing if the data is damaged or unpacks to more than `most` bytes.
std::optional<std::string> gunzip(std::string_view packed, std::size_t most);

}  // namespace chorus::net
