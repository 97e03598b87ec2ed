#include "chat/block.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace chorus::chat {
namespace {

// "</tag" and "</ TAG" alike: a reader would take either for the end, whatever follows.
bool names_tag(std::string_view text, std::string_view mark, std::string_view tag) {
    text.remove_prefix(mark.size());
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    return base::to_lower_ascii(text.substr(0, tag.size())) == tag;
}

std::string with_broken(std::string text, std::string_view mark, std::string_view tag) {
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += mark.size())
        if (names_tag(std::string_view(text).substr(at), mark, tag)) text.insert(at + 1, " ");
    return text;
}

}  // namespace

std::string without_closing(std::string text, std::string_view tag) {
    return with_broken(std::move(text), "</", tag);
}

std::string message_from(std::string_view agent, const std::string& text) {
    constexpr std::string_view tag = "message";
    return "<message from=\"" + std::string(agent) + "\">\n" +
           with_broken(without_closing(text, tag), "<", tag) + "\n</message>";
}

}  // namespace chorus::chat
