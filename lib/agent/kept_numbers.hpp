// Keeps numbers of edited JSON unchanged. A JSON library would rewrite a number that has a
// fraction, an exponent or very many digits, so a string replaces each of them during editing.
// Include it in .cpp files only, like chat/json.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chat/json.hpp"

namespace chorus::agent {

class KeptNumbers {
  public:
    // Returns the JSON with strings in place of the numbers.
    std::string keep(std::string_view json);
    // Returns the file text for an object parsed from keep()'s result, with the numbers restored.
    std::string written(const chat::Json& object) const;
    std::string in_one_line(const chat::Json& value) const;

  private:
    std::string restored(std::string json) const;

    std::vector<std::string> numbers_;
};

}  // namespace chorus::agent
