// Removes secrets from text before it is written: active ones (also pieces of them, and their
// base64) and keys of known shapes.
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
    // Replaces each secret by [redacted:<kind>]. The kind is "key" for an active secret and any 12
    // bytes of one, else the shape's name.
    std::string apply(std::string_view text) const;
    bool changes(std::string_view text) const;
    // Whether the text contains an active secret; ignores shapes.
    bool holds_active(std::string_view text) const;
    // Like apply(), but ignores shapes.
    std::string without_active(std::string_view text) const;
    // Returns how many bytes of an unfinished text are decided; an active secret may begin after
    // them.
    std::size_t decided_bytes(std::string_view text) const;

  private:
    std::vector<std::string> active_;
    base::Fragments secrets_;
};

// Writes a text that arrives in pieces, without active secrets or parts of them.
class RedactedStream {
  public:
    RedactedStream(const Redaction& redaction, std::function<void(std::string_view)> sink)
        : redaction_(redaction), sink_(std::move(sink)) {}
    void write(std::string_view piece);
    // Writes the text that was held back because an active secret could have continued there.
    void end();

  private:
    const Redaction& redaction_;
    std::function<void(std::string_view)> sink_;
    std::string held_;
};

}  // namespace chorus::policy
