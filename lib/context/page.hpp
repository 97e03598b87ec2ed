// Assembles the page of an exported conversation from lib/context/page/.
#pragma once

#include <string>

namespace chorus::context {

// Each is HTML, in which foreign text is already escaped.
struct PageParts {
    std::string title;
    std::string heading;
    std::string facts;
    std::string chart;
    std::string messages;
};
// The page's Content-Security-Policy allows its own style and script, by hash, and nothing else.
std::string page(const PageParts& parts);

}  // namespace chorus::context
