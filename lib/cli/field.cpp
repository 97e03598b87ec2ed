#include "cli/field.hpp"

namespace chorus::cli {

std::string one_line(std::string_view text) {
    std::string shown;
    for (const char c : base::visible(text, base::Newlines::escape)) {
        if (c == '\t')
            shown += "\\t";
        else
            shown += c;
    }
    return shown;
}

}  // namespace chorus::cli
