#include <re2/re2.h>
#include <unistd.h>

#include <cerrno>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "sys/clock.hpp"
#include "tools/files.hpp"
#include "tools/line_search.hpp"
#include "tools/result.hpp"
#include "tools/walk.hpp"

namespace chorus::tools {
namespace {

constexpr std::size_t most_matches = 500;
constexpr std::size_t most_found_characters =
    base::limits::tool_result_characters - 500;  // room for notes
constexpr std::size_t found_line_characters = 500;
constexpr int largest_program = 5'000;  // the pattern compiled by RE2, in instructions

RE2::Options options() {
    RE2::Options chosen(RE2::Quiet);
    chosen.set_never_nl(true);  // a match lies within a line, whatever the pattern says
    return chosen;
}

// Returns the whole line, or the part of a long one around the match.
std::string shown_line(std::string_view line, std::size_t match_start) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    match_start = std::min(match_start, line.size());
    const std::size_t before =
        match_start > found_line_characters / 2 ? found_line_characters / 4 : match_start;
    const bool has_more_before = before < match_start;
    if (has_more_before) line = base::utf8_suffix(line, line.size() - match_start + before);
    const std::string valid = base::replace_invalid_utf8(line);
    const std::string_view shown = first_characters(valid, found_line_characters);
    return (has_more_before ? "[...] " : "") + std::string(shown) +
           (shown.size() < valid.size() ? " [...]" : "");
}

class Search {
  public:
    Search(const Workplace& workplace, const RE2& pattern)
        : workplace_(workplace),
          pattern_(pattern),
          deadline_ms_(sys::monotonic_ms() + most_walk_ms) {}
    Search(const Search&) = delete;

    // Returns false when the search must stop.
    bool search(const sys::Entry& entry) {
        if (entry.kind != sys::Kind::file) return true;
        const sys::Opened opened = workplace_.root.open_to_read(entry.path);
        if (opened.outcome != sys::OpenOutcome::opened || opened.kind != sys::Kind::file)
            return true;
        if (opened.size_bytes > base::limits::searched_file_bytes) {
            ++too_large;
            return true;
        }
        return !read_file(opened.fd.get()) || search_content(listed(entry.path));
    }

    std::string lines;
    std::size_t matches = 0;
    std::size_t too_large = 0;
    bool is_full = false;
    bool is_late = false;

  private:
    // Returns false if the file cannot be read or is binary.
    bool read_file(int fd) {
        std::size_t filled = 0;
        for (;;) {
            if (buffer_.size() < filled + (64U << 10)) buffer_.resize(filled + (256U << 10));
            const ssize_t got = read(fd, buffer_.data() + filled, buffer_.size() - filled);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return false;
            filled += static_cast<std::size_t>(got);
            content_ = std::string_view(buffer_).substr(0, filled);
            if (is_binary(content_)) return false;
            if (got == 0 || filled > base::limits::searched_file_bytes) return true;
        }
    }

    bool search_content(const std::string& path) {
        LineSearch lines_found(pattern_, content_, is_late_);
        while (const std::optional<LineMatch> match = lines_found.next())
            if (!add(path, *match)) return false;
        return !is_late;
    }

    bool add(const std::string& path, const LineMatch& match) {
        const std::string text = path + ":" + std::to_string(match.number) + ":" +
                                 shown_line(match.line, match.start) + "\n";
        characters_ += base::utf8_length(text);
        is_full = matches == most_matches || characters_ > most_found_characters;
        if (is_full) return false;
        lines += text;
        ++matches;
        return true;
    }

    const Workplace& workplace_;
    const RE2& pattern_;
    std::int64_t deadline_ms_;
    std::function<bool()> is_late_ = [this] {
        is_late = sys::monotonic_ms() > deadline_ms_ || (workplace_.stop && workplace_.stop());
        return is_late;
    };
    std::string buffer_;  // reused from file to file
    std::string_view content_;
    std::size_t characters_ = 0;
};

chat::ToolResult result_of(const Search& search, Walked walked) {
    if (!walked.error.empty()) return failure(walked.error);
    walked.is_late = walked.is_late || search.is_late;
    std::string text = search.lines;
    if (search.matches == 0) text = "no match\n";
    if (search.is_full)
        text += "[the first " + counted(search.matches, "matching line") +
                " are shown, there are more; narrow 'pattern', 'path' or 'glob']\n";
    if (search.too_large > 0)
        text += "[" + counted(search.too_large, "file") + " larger than " +
                std::to_string(base::limits::searched_file_bytes >> 20U) + " MiB not searched]\n";
    return answer(text + notes_on(walked));
}

chat::ToolResult search_paths(const Arguments& arguments, const Workplace& workplace) {
    const std::string text = arguments.text("pattern");
    const RE2 pattern("(?m)" + text, options());
    if (!pattern.ok())
        return failure(
            "search_files: '" + text + "' is not a valid regular expression: " + pattern.error() +
            " (RE2 syntax: no lookaround, no backreferences; a literal ( [ { . needs a \\)");
    if (pattern.ProgramSize() > largest_program)
        return failure("search_files: the pattern is too large; use fewer or smaller repetitions");
    Search search(workplace, pattern);
    const auto visit = [&](const sys::Entry& entry) { return search.search(entry); };
    return result_of(
        search, walk_files(workplace, arguments.text("path", "."), arguments.text("glob"), visit));
}

}  // namespace

Tool search_files_tool() {
    return {.parameters = {{"pattern", "string",
                            "regular expression (RE2); (?i) at its start ignores case", true},
                           {"path", "string", "directory or file to search; default the workspace"},
                           {"glob", "string",
                            "search only files that match, such as *.cpp or src/**/*.{js,ts}"}},
            .kind = Class::read,
            .detail = path_detail,
            .run = search_paths};
}

}  // namespace chorus::tools
