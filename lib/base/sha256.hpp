// SHA-256 of what comes in pieces.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace chorus::base {

class Sha256 {
  public:
    Sha256();
    ~Sha256();
    Sha256(Sha256&&) noexcept;
    Sha256& operator=(Sha256&&) noexcept;
    void add(std::string_view bytes);
    // Once, at the end: 64 lower-case hexadecimal digits.
    std::string hex();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace chorus::base
