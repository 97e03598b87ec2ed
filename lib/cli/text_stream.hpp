// Text of others as it comes in pieces, to stdout.
#pragma once

#include <string>
#include <string_view>

namespace chorus::cli {

// On a terminal made visible (base::visible), whole characters at a time; elsewhere byte for byte.
class TextStream {
  public:
    TextStream();
    void print(std::string_view piece);
    // The rest of a character that never came.
    void finish();

  private:
    bool to_terminal_;
    std::string rest_;  // of a character that is not whole yet
};

}  // namespace chorus::cli
