#include "tools/replacement.hpp"

#include <re2/re2.h>

#include <algorithm>

#include "base/text.hpp"
#include "tools/result.hpp"

namespace chorus::tools {
namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct Folded {
    std::string text;
    std::vector<std::size_t> offsets;  // of each of its bytes in the original
};

Folded fold_blanks(std::string_view text) {
    Folded folded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool blank = is_blank(text[i]);
        if (blank && !folded.text.empty() && folded.text.back() == ' ') continue;
        folded.text += blank ? ' ' : text[i];
        folded.offsets.push_back(i);
    }
    return folded;
}

std::size_t newlines(std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

std::vector<std::size_t> find_all(std::string_view text, std::string_view part) {
    std::vector<std::size_t> places;
    for (std::size_t at = text.find(part); at != std::string_view::npos;
         at = text.find(part, at + part.size()))
        places.push_back(at);
    return places;
}

std::size_t line_of(std::string_view text, std::size_t offset) {
    return newlines(text.substr(0, offset)) + 1;
}

std::vector<std::size_t> lines_but_for_blanks(std::string_view text, std::string_view part,
                                              std::size_t most) {
    const Folded folded = fold_blanks(text);
    const Folded wanted = fold_blanks(base::trim(part));
    std::vector<std::size_t> lines;
    if (wanted.text.empty()) return lines;
    for (const std::size_t place : find_all(folded.text, wanted.text)) {
        if (lines.size() == most) break;
        lines.push_back(line_of(text, folded.offsets[place]));
    }
    return lines;
}

Replaced replace_at(std::string_view text, const std::vector<std::size_t>& places,
                    std::size_t old_bytes, std::string_view replacement) {
    Replaced result;
    std::size_t taken = 0;
    std::size_t line = 1;
    for (const std::size_t place : places) {
        const std::string_view between = text.substr(taken, place - taken);
        result.text += between;
        result.text += replacement;
        line += newlines(between);
        const std::size_t inside = newlines(replacement);
        const bool ends_line = !replacement.empty() && replacement.back() == '\n';
        result.changed.push_back({line, line + inside - (ends_line ? 1 : 0)});
        line += inside;
        taken = place + old_bytes;
    }
    result.text += text.substr(taken);
    return result;
}

bool has_crlf_only(std::string_view text) {
    static const RE2 bare_newline(R"((?:\A|[^\r])\n)", RE2::Latin1);
    return text.find('\n') != std::string_view::npos && !RE2::PartialMatch(text, bare_newline);
}

std::string with_crlf(std::string text) {
    static const RE2 newline(R"(\n)", RE2::Latin1);
    RE2::GlobalReplace(&text, newline, "\r\n");
    return text;
}

std::string numbered_around(std::string_view text, const std::vector<Replaced::Lines>& lines,
                            std::size_t around) {
    const std::vector<std::string_view> all = base::split_lines(text);
    std::string out;
    std::size_t next = 1;
    for (const Replaced::Lines& changed : lines) {
        const std::size_t first = changed.first > around ? changed.first - around : 1;
        const std::size_t last = std::min(changed.last + around, all.size());
        if (first > next && next > 1) out += "   ...\n";
        for (next = std::max(next, first); next <= last; ++next)
            out += numbered_line(next, all[next - 1]);
    }
    return out;
}

}  // namespace chorus::tools
