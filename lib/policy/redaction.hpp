// Secrets out of text before it is written: the active ones exactly, pieces of them and in base64
// too, and known shapes of keys.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fragments.hpp"

namespace chorus::policy {

class Redaction {
  public:
    explicit Redaction(const std::vector<std::string>& active_secrets = {});
    void add(const std::string& secret);  // ignored when shorter than 8 bytes
    const std::vector<std::string>& active() const { return active_; }
    // Each secret becomes [redacted:<kind>]: "key" for active ones and any 12 bytes of one, else
    // the shape's name.
    std::string apply(std::string_view text) const;
    bool changes(std::string_view text) const;
    // Whether an active secret is in it, the shapes left aside.
    bool holds_active(std::string_view text) const;
    // apply(), the shapes left aside.
    std::string without_active(std::string_view text) const;
    // How much of a text that goes on can be told already: behind it an active secret may begin.
    std::size_t decided_bytes(std::string_view text) const;

  private:
    std::vector<std::string> active_;
    base::Fragments secrets_;
};

// A text that comes in pieces, without active secrets, of which no piece shows a part.
class RedactedStream {
  public:
    RedactedStream(const Redaction& redaction, std::function<void(std::string_view)> sink)
        : redaction_(redaction), sink_(std::move(sink)) {}
    void write(std::string_view piece);
    // Shows the text that was held back because a secret could have gone on there.
    void end();

  private:
    const Redaction& redaction_;
    std::function<void(std::string_view)> sink_;
    std::string held_;
};

}  // namespace chorus::policy
