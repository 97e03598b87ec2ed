// Keeps foreign text in a <tag> … </tag> block of a message from closing the block.
#pragma once

#include <string>
#include <string_view>

namespace chorus::context {

// Returns `text` with every "</tag" written as "< /tag", in any case and with any blanks before the
// tag.
std::string without_closing(std::string text, std::string_view tag);

}  // namespace chorus::context
