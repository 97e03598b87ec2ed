// Secrets out of text before it is written: the active ones exactly, and known shapes of keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace chorus::policy {

class Redaction {
  public:
    explicit Redaction(std::vector<std::string> active_secrets = {});
    void add(std::string secret);  // ignored when shorter than 8 bytes
    // Each secret becomes [redacted:<kind>]: "key" for active ones, else the shape's name.
    std::string apply(std::string_view text) const;
    bool changes(std::string_view text) const;
    // Whether an active secret is in it, the shapes left aside.
    bool holds_active(std::string_view text) const;

  private:
    std::vector<std::string> secrets_;  // the longest first
};

}  // namespace chorus::policy
