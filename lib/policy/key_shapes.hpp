// What the keys of well-known services look like.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace chorus::policy {

struct Finding {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string_view kind;  // "anthropic-key"
};

// In the order of their beginnings; they do not overlap. One pass, nothing allocated where there is
// none.
std::vector<Finding> find_keys(std::string_view text);

}  // namespace chorus::policy
