#pragma once

#include <string_view>

namespace chorus::cli {

std::string_view version();

}  // namespace chorus::cli
