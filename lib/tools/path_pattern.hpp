// The glob that list_files and search_files take.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace chorus::tools {

class PathPattern {
  public:
    // "*.{cpp,hpp}" stands for both; without a '/' base names are matched; "" matches everything.
    explicit PathPattern(std::string_view pattern);
    bool matches(std::string_view path) const;

  private:
    std::vector<std::string> alternatives_;
};

}  // namespace chorus::tools
