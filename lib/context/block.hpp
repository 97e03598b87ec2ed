// Foreign text in a <tag> … </tag> block of a message must not end the block from within.
#pragma once

#include <string>
#include <string_view>

namespace chorus::context {

// `text` with every "</tag" in it written "< /tag", whatever its case and the blanks before it.
std::string without_closing(std::string text, std::string_view tag);

}  // namespace chorus::context
