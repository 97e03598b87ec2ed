// Prints untrusted text to stdout as it arrives in pieces.
#pragma once

#include <string>
#include <string_view>

namespace chorus::cli {

// Makes the text visible on a terminal (base::visible), whole characters at a time; elsewhere
// prints it byte for byte.
class TextStream {
  public:
    TextStream();
    void print(std::string_view piece);
    // Prints what there is of an unfinished character.
    void finish();

  private:
    bool to_terminal_;
    std::string rest_;  // the start of an unfinished character
};

}  // namespace chorus::cli
