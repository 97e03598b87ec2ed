// The environment variables that Chorus reads, for chorus-config env; those of providers are in
// model's catalog.
#pragma once

#include <string_view>
#include <vector>

namespace chorus::agent {

struct Variable {
    std::string_view name;
    std::string_view fallback;  // what holds without it, "" for nothing or something computed
    std::string_view sentence;
};

const std::vector<Variable>& variables();

}  // namespace chorus::agent
