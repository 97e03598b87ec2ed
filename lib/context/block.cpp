#include "context/block.hpp"

namespace chorus::context {

std::string without_closing(std::string text, std::string_view tag) {
    const std::string closing = "</" + std::string(tag) + ">";
    for (std::size_t at = 0; (at = text.find(closing, at)) != std::string::npos;
         at += closing.size() + 1)
        text.insert(at + 1, " ");
    return text;
}

}  // namespace chorus::context
