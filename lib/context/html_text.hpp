// Escapes untrusted text for HTML: it cannot begin a tag, an attribute or an entity. Characters
// that base::visible escapes (control, bidirectional and zero-width characters, invalid bytes) are
// written as their numbers. "\r\n" is a newline.
#pragma once

#include <string>
#include <string_view>

namespace chorus::context {

// For the content of an element: a hidden character becomes <code class="hidden">U+202E</code>.
std::string html(std::string_view text);
// For an attribute's value in double quotes, or for <title>, which cannot hold elements: U+202E.
std::string attribute(std::string_view text);

}  // namespace chorus::context
