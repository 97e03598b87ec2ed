// SHA-256 of data that arrives in pieces.
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
    // Returns 64 lower-case hexadecimal digits; call once, at the end.
    std::string hex();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace chorus::base
