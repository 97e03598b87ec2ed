// The page that an exported conversation stands in: lib/context/page/, put together.
#pragma once

#include <string>

namespace chorus::context {

// HTML, each: what is not ours in it is escaped already.
struct PageParts {
    std::string title;
    std::string heading;
    std::string facts;
    std::string chart;
    std::string messages;
};
// Its Content-Security-Policy names its own style and script by their hashes and allows nothing
// else.
std::string page(const PageParts& parts);

}  // namespace chorus::context
