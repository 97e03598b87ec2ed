#include "tools/patch.hpp"

#include <algorithm>
#include <cstdint>
#include <dtl/dtl.hpp>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "tools/files.hpp"
#include "tools/result.hpp"

namespace chorus::tools {
namespace {

constexpr std::size_t most_patch_bytes = 256U << 10;
// Limit of the number of differing lines before times the number after. Beyond it they are replaced
// as a whole, as the time of a comparison is proportional to the product.
constexpr std::size_t most_pairs = 4'000'000;
constexpr std::size_t context_lines = 3;

using Lines = std::vector<std::string_view>;  // each with its newline

struct Step {
    char mark = ' ';  // ' ', '-' or '+'
    std::string_view line;
};

Lines lines_of(std::string_view text) {
    Lines lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
        lines.push_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return lines;
}

void add(std::vector<Step>& steps, char mark, Lines::const_iterator from,
         Lines::const_iterator to) {
    std::for_each(from, to, [&](std::string_view line) { steps.push_back({mark, line}); });
}

void compare(std::vector<Step>& steps, const Lines& before, const Lines& after) {
    std::unordered_map<std::string_view, std::int64_t> numbers;
    const auto numbered = [&](const Lines& lines) {
        std::vector<std::int64_t> of;
        for (const std::string_view line : lines)
            of.push_back(
                numbers.emplace(line, static_cast<std::int64_t>(numbers.size())).first->second);
        return of;
    };
    dtl::Diff<std::int64_t> diff(numbered(before), numbered(after));
    diff.compose();
    auto left = before.begin();
    auto right = after.begin();
    std::vector<Step> added;  // put after the lines that they replace
    const auto flush = [&] {
        steps.insert(steps.end(), added.begin(), added.end());
        added.clear();
    };
    for (const auto& [line, info] : diff.getSes().getSequence()) {
        if (info.type == dtl::SES_DELETE) {
            steps.push_back({'-', *left++});
        } else if (info.type == dtl::SES_ADD) {
            added.push_back({'+', *right++});
        } else {
            flush();
            steps.push_back({' ', *left++});
            ++right;
        }
    }
    flush();
}

// Returns every line of both texts, in order.
std::vector<Step> steps_between(const Lines& before, const Lines& after) {
    const auto head = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
    const auto tail = std::mismatch(before.rbegin(), std::make_reverse_iterator(head.first),
                                    after.rbegin(), std::make_reverse_iterator(head.second));
    const Lines old_middle(head.first, tail.first.base());
    const Lines new_middle(head.second, tail.second.base());
    std::vector<Step> steps;
    add(steps, ' ', before.begin(), head.first);
    if (old_middle.size() * new_middle.size() <= most_pairs) {
        compare(steps, old_middle, new_middle);
    } else {
        add(steps, '-', old_middle.begin(), old_middle.end());
        add(steps, '+', new_middle.begin(), new_middle.end());
    }
    add(steps, ' ', tail.first.base(), before.end());
    return steps;
}

// "12", "12,3"; for no lines the line before
std::string range(std::size_t first, std::size_t count) {
    if (count == 1) return std::to_string(first);
    return std::to_string(count == 0 ? first - 1 : first) + "," + std::to_string(count);
}

class Hunks {
  public:
    std::string of(const std::vector<Step>& steps) {
        std::size_t at = 0;
        while (at < steps.size()) {
            if (steps[at].mark == ' ') {
                pass(steps[at++]);
                continue;
            }
            std::size_t end = at + 1;
            for (std::size_t next = end; next < steps.size() && next - end <= 2 * context_lines;
                 ++next)
                if (steps[next].mark != ' ') end = next + 1;
            const std::size_t begin = at - std::min(at, context_lines);
            write(steps, begin, at, std::min(steps.size(), end + context_lines));
            for (; at < end; ++at) pass(steps[at]);
        }
        return std::move(text_);
    }

  private:
    void pass(const Step& step) {
        old_line_ += static_cast<std::size_t>(step.mark != '+');
        new_line_ += static_cast<std::size_t>(step.mark != '-');
    }
    // `at` is the step that old_line_ and new_line_ count to
    void write(const std::vector<Step>& steps, std::size_t begin, std::size_t at, std::size_t end) {
        const auto lines_but = [&](char mark) {
            return static_cast<std::size_t>(
                std::count_if(steps.begin() + static_cast<std::ptrdiff_t>(begin),
                              steps.begin() + static_cast<std::ptrdiff_t>(end),
                              [&](const Step& step) { return step.mark != mark; }));
        };
        text_ += "@@ -" + range(old_line_ - (at - begin), lines_but('+')) + " +" +
                 range(new_line_ - (at - begin), lines_but('-')) + " @@\n";
        for (std::size_t i = begin; i < end; ++i) {
            text_ += steps[i].mark;
            text_ += steps[i].line;
            if (!steps[i].line.ends_with('\n')) text_ += "\n\\ No newline at end of file\n";
        }
    }

    std::size_t old_line_ = 1;
    std::size_t new_line_ = 1;
    std::string text_;
};

// Writes names that hold quotes, backslashes or control characters as git does.
std::string quoted_by_git(const std::string& name) {
    constexpr std::string_view letters = "abtnvfr";  // for the characters from 7 on
    std::string quoted;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 7 && byte < 7 + letters.size()) {
            quoted += {'\\', letters[byte - 7U]};
        } else if (byte < ' ' || byte == 0x7f) {
            quoted += fmt::format("\\{:03o}", byte);
        } else {
            if (c == '"' || c == '\\') quoted += '\\';
            quoted += c;
        }
    }
    return quoted == name ? name : '"' + quoted + '"';
}

std::string bounded_patch(std::string text) {
    if (text.size() <= most_patch_bytes) return text;
    const std::size_t end = text.rfind('\n', most_patch_bytes);
    const auto left =
        std::count(text.begin() + static_cast<std::ptrdiff_t>(end) + 1, text.end(), '\n');
    text.resize(end + 1);
    return text + "[" + counted(left, "more line") + "]\n";
}

}  // namespace

chat::Change change_of(const std::string& path, std::optional<std::string_view> before,
                       std::string_view after) {
    const std::string old_name = quoted_by_git("a/" + path);
    const std::string new_name = quoted_by_git("b/" + path);
    std::string head = "diff --git " + old_name + " " + new_name + "\n";
    if (!before) head += "new file mode 100644\n";
    const std::string_view was = before.value_or("");
    if (is_binary(was) || is_binary(after) || base::find_invalid_utf8(was) ||
        base::find_invalid_utf8(after))
        return {head + "Binary files " + (before ? old_name : "/dev/null") + " and " + new_name +
                    " differ\n",
                0, 0};
    if (was.size() > most_compared_bytes || after.size() > most_compared_bytes)
        return {head + "[files too large to be compared]\n", 0, 0};
    const std::vector<Step> steps = steps_between(lines_of(was), lines_of(after));
    const auto marked = [&](char mark) {
        return std::count_if(steps.begin(), steps.end(),
                             [&](const Step& step) { return step.mark == mark; });
    };
    const std::string hunks = Hunks().of(steps);
    if (!hunks.empty())
        head += "--- " + (before ? old_name : "/dev/null") + "\n+++ " + new_name + "\n";
    return {bounded_patch(head + hunks), marked('+'), marked('-')};
}

}  // namespace chorus::tools
