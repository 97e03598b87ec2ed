// SHA-256 of data that arrives in pieces. Include it in .cpp files only.
#pragma once

#include <sha2.h>

#include <string>
#include <string_view>

namespace chorus::base {

class Sha256 {
  public:
    Sha256() { SHA256Init(&context_); }
    void add(std::string_view bytes);
    // Returns 64 lower-case hexadecimal digits; call once, at the end.
    std::string hex();

  private:
    SHA2_CTX context_{};
};

}  // namespace chorus::base
