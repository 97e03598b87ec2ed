#include "cli/field.hpp"

#include "base/text.hpp"

namespace chorus::cli {

std::string counted(std::int64_t count, std::string_view noun) {
    return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

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
