#include <fcntl.h>
#include <sys/stat.h>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"
#include "tools/artifact_holders.hpp"
#include "tools/files.hpp"
#include "tools/result.hpp"

namespace chorus::tools {
namespace {

constexpr std::int64_t default_lines = 2'000;
constexpr std::size_t line_kept_bytes =
    line_characters * 4;  // the longest code point is four bytes
constexpr std::size_t most_viewed_characters =
    base::limits::tool_result_characters - 400;  // room for notes
constexpr std::size_t scanned_bytes = 256U << 20;
constexpr std::size_t chunk_bytes = 64U << 10;

struct Part {
    std::int64_t first = 1;
    std::int64_t count = default_lines;
};

// Takes the file's bytes as they are read, keeps the wanted lines as numbered text and counts the
// rest.
class NumberedLines {
  public:
    explicit NumberedLines(Part part) : part_(part) {}
    void add(std::string_view bytes) {
        while (!bytes.empty()) {
            const std::size_t newline = bytes.find('\n');
            const std::string_view part = bytes.substr(0, newline);
            line_bytes_ += part.size();
            if (is_wanted()) line_ += part.substr(0, line_kept_bytes - line_.size());
            if (newline == std::string_view::npos) return;
            end_line();
            bytes.remove_prefix(newline + 1);
        }
    }

    void finish() {
        if (line_bytes_ > 0) end_line();
    }

    const std::string& text() const { return text_; }
    std::int64_t total() const { return next_ - 1; }
    std::int64_t last_shown() const { return last_shown_; }
    bool ends_in_crlf() const { return ends_in_crlf_; }

  private:
    bool is_wanted() const {
        return !is_full_ && next_ >= part_.first && next_ - part_.first < part_.count;
    }
    void end_line() {
        if (is_wanted()) {
            const bool is_crlf =
                line_.size() == line_bytes_ && !line_.empty() && line_.back() == '\r';
            const std::string shown =
                numbered_line(static_cast<std::size_t>(next_), line_, line_bytes_);
            characters_ += base::utf8_length(shown);
            is_full_ = characters_ > most_viewed_characters;
            if (!is_full_) {
                text_ += shown;
                last_shown_ = next_;
                ends_in_crlf_ = ends_in_crlf_ || is_crlf;
            }
        }
        line_.clear();
        line_bytes_ = 0;
        ++next_;
    }

    Part part_;
    std::string text_;
    std::size_t characters_ = 0;
    std::string line_;            // its first bytes
    std::size_t line_bytes_ = 0;  // of the whole line
    std::int64_t next_ = 1;
    std::int64_t last_shown_ = 0;
    bool is_full_ = false;
    bool ends_in_crlf_ = false;
};

std::string notes(const NumberedLines& lines, Part part, bool is_whole) {
    std::string text;
    if (lines.ends_in_crlf()) text += "[lines end in CRLF]\n";
    if (lines.last_shown() < lines.total() || !is_whole)
        text += "[lines " + std::to_string(part.first) + "-" + std::to_string(lines.last_shown()) +
                " of " + (is_whole ? "" : "more than ") + std::to_string(lines.total()) +
                " are shown; continue with offset " + std::to_string(lines.last_shown() + 1) +
                "]\n";
    return text;
}

chat::ToolResult view_file(const std::string& path, const sys::Opened& opened, Part part) {
    NumberedLines lines(part);
    std::size_t scanned = 0;
    std::string bytes = sys::read_part(opened.fd.get(), scanned, chunk_bytes, path);
    if (is_binary(bytes)) return failure(binary_message(path, bytes, opened.size_bytes));
    while (!bytes.empty() && scanned < scanned_bytes) {
        lines.add(bytes);
        scanned += bytes.size();
        bytes = sys::read_part(opened.fd.get(), scanned, chunk_bytes, path);
    }
    const bool is_whole = bytes.empty();
    if (is_whole) lines.finish();
    if (scanned == 0) return answer("[" + path + " is empty]\n");
    if (lines.last_shown() == 0)
        return failure(path + ": offset " + std::to_string(part.first) + " is past the " +
                       (is_whole ? "end, the file has " : "part that view reads, ") +
                       counted(lines.total(), "line"));
    return answer(lines.text() + notes(lines, part, is_whole));
}

std::string entry_line(int directory, const Name& name) {
    const std::string shown = listed(name.name);
    if (name.kind == sys::Kind::directory) return shown + "/\n";
    if (name.kind == sys::Kind::link) return shown + " (link)\n";
    if (name.kind == sys::Kind::other) return shown + " (neither file nor directory)\n";
    struct stat status {};
    if (fstatat(directory, name.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
        return shown + "\n";
    return shown + " (" + counted(status.st_size, "byte") + ")\n";
}

chat::ToolResult view_directory(const sys::Root& root, const std::string& path, sys::Opened opened,
                                Part part) {
    const int directory = opened.fd.get();
    const sys::Fd again(fcntl(directory, F_DUPFD_CLOEXEC, 0));
    const std::vector<Name> names = read_names(root, std::move(opened));
    const auto total = static_cast<std::int64_t>(names.size());
    if (total == 0) return answer("[" + path + " is an empty directory]\n");
    if (part.first > total)
        return failure(path + ": offset " + std::to_string(part.first) +
                       " is past the end, the directory has " + std::to_string(total) + " entries");
    std::string lines;
    std::size_t characters = 0;
    std::int64_t next = part.first;
    for (; next <= total && next - part.first < part.count; ++next) {
        const std::string line = entry_line(again.get(), names[static_cast<std::size_t>(next - 1)]);
        characters += base::utf8_length(line);
        if (characters > most_viewed_characters) break;
        lines += line;
    }
    if (next <= total)
        lines += "[entries " + std::to_string(part.first) + "-" + std::to_string(next - 1) +
                 " of " + std::to_string(total) + " are shown; continue with offset " +
                 std::to_string(next) + "]\n";
    return answer(lines);
}

std::optional<sys::Root> artifacts_of(const Workplace& workplace, const std::string& path) {
    const auto is_in = [&](const std::string& artifacts) {
        return path.starts_with(artifacts + "/") && sys::exists(artifacts);
    };
    const std::string own = workplace.directory.artifacts();
    if (is_in(own)) return sys::Root(own, "artifacts/");
    if (!path.starts_with('/') || workplace.artifacts == nullptr) return std::nullopt;
    for (const ArtifactHolder& holder : workplace.artifacts->all())
        if (const std::string below = holder.path + "/artifacts"; is_in(below))
            return sys::Root(below, "artifacts/");
    return std::nullopt;
}

chat::ToolResult view_path(const Arguments& arguments, const Workplace& workplace) {
    const std::string path = arguments.text("path");
    const Part part{arguments.integer("offset", 1), arguments.integer("limit", default_lines)};
    if (part.first < 1) return failure("view: 'offset' is a line number, the first is 1");
    if (part.count < 1) return failure("view: 'limit' must be at least 1");
    const std::optional<sys::Root> artifacts = artifacts_of(workplace, path);
    const sys::Root& root = artifacts ? *artifacts : workplace.root;
    sys::Opened opened = open_to_read(root, path);
    if (opened.outcome != sys::OpenOutcome::opened) return failure(opened.message);
    return opened.kind == sys::Kind::directory ? view_directory(root, path, std::move(opened), part)
                                               : view_file(path, opened, part);
}

}  // namespace

Tool view_tool() {
    return {
        .parameters = {{"path", "string", "file or directory, relative to the workspace", true},
                       {"offset", "integer", "first line (or entry) to show; default 1"},
                       {"limit", "integer", "how many lines (or entries) to show; default 2000"}},
        .kind = Class::read,
        .detail = path_detail,
        .run = view_path};
}

}  // namespace chorus::tools
