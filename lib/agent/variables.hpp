// The environment variables that Chorus reads, for chorus-config env; those of providers are in the
// catalog of model/.
#pragma once

#include <string_view>
#include <vector>

namespace chorus::agent {

struct Variable {
    std::string_view name;
    std::string_view fallback;  // the default, "" for none or a computed one
    std::string_view sentence;
};

const std::vector<Variable>& variables();

}  // namespace chorus::agent
