// Keeps foreign text in a <tag> … </tag> block of a message from closing the block.
#pragma once

#include <string>
#include <string_view>

namespace chorus::chat {

// Returns `text` with every "</tag" written as "< /tag", in any case and with any blanks before the
// tag.
std::string without_closing(std::string text, std::string_view tag);

// Returns what an agent wrote in a <message from="NAME"> block, which tells it from what a person
// wrote. The text cannot begin such a block in another's name either.
std::string message_from(std::string_view agent, const std::string& text);

}  // namespace chorus::chat
