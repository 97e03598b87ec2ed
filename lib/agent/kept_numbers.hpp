// A number with a fraction, an exponent or more digits than an integer has is not written as it was
// read. While JSON is edited a text stands for each of them. Include it in .cpp files only, as
// chat/json.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chat/json.hpp"

namespace chorus::agent {

class KeptNumbers {
  public:
    // JSON with texts in their places.
    std::string keep(std::string_view json);
    // The text of a file, made of what keep() returned: with the numbers again.
    std::string written(const chat::Json& object) const;
    std::string in_one_line(const chat::Json& value) const;

  private:
    std::string restored(std::string json) const;

    std::vector<std::string> numbers_;
};

}  // namespace chorus::agent
