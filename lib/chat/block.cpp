#include "chat/block.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace chorus::chat {
namespace {

// "</tag" and "</ TAG" alike: a reader would take either for the end, whatever follows.
bool closes(std::string_view text, std::string_view tag) {
    if (!text.starts_with("</")) return false;
    text.remove_prefix(2);
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    return base::to_lower_ascii(text.substr(0, tag.size())) == tag;
}

}  // namespace

std::string without_closing(std::string text, std::string_view tag) {
    for (std::size_t at = 0; (at = text.find("</", at)) != std::string::npos; at += 2)
        if (closes(std::string_view(text).substr(at), tag)) text.insert(at + 1, " ");
    return text;
}

std::string message_from(std::string_view agent, const std::string& text) {
    return "<message from=\"" + std::string(agent) + "\">\n" + without_closing(text, "message") +
           "\n</message>";
}

}  // namespace chorus::chat
