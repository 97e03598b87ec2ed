// Text of others in HTML: nothing in it begins a tag, an attribute or an entity, and what has no
// glyph of its own (base::visible's notion: control, bidirectional and zero-width characters,
// invalid bytes) stands there by its number. "\r\n" is a newline.
#pragma once

#include <string>
#include <string_view>

namespace chorus::context {

// As the content of an element: a hidden character is <code class="hidden">U+202E</code>.
void append_html(std::string& out, std::string_view text);
// As an attribute's value in double quotes, or in <title>, where no element can stand: U+202E.
void append_attribute(std::string& out, std::string_view text);

std::string html(std::string_view text);
std::string attribute(std::string_view text);

}  // namespace chorus::context
