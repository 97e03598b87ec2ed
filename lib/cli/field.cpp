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

void write_text(chat::JsonText& out, std::string_view key, std::string_view value) {
    out.key(key).string(value);
}

void write_time(chat::JsonText& out, std::string_view key, base::TimeMs time) {
    out.key(key);
    if (time == 0)
        out.null();
    else
        out.string(base::iso8601(time));
}

void write_number(chat::JsonText& out, std::string_view key, std::int64_t value,
                  std::int64_t none) {
    out.key(key);
    if (value == none)
        out.null();
    else
        out.number(value);
}

}  // namespace chorus::cli
