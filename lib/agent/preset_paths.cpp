// Writes the `paths` of a preset. yaml-cpp tells where everything stands; only the lines that
// change are written.
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "agent/preset.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "chat/json_text.hpp"

namespace chorus::agent {
namespace {

using Lines = std::vector<std::string>;
using Globs = std::vector<std::string>;

// Returns the lines with their ends.
Lines lines_of(std::string_view text) {
    Lines lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

bool is_blank_or_comment(const std::string& line) {
    const std::size_t at = line.find_first_not_of(" \t\r\n");
    return at == std::string::npos || line[at] == '#';
}

// Returns the comment of a line, from its '#'; "" if there is none.
std::string comment_of(std::string_view line) {
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quote == '"' && c == '\\')
            ++i;
        else if (quote != 0)
            quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t'))
            return std::string(line.substr(i, line.find_last_not_of("\r\n") + 1 - i));
    }
    return {};
}

// The lines [begin, end) of an entry.
struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
};

class PathsEditor {
  public:
    explicit PathsEditor(std::string_view front)
        : lines_(lines_of(front)),
          newline_(!lines_.empty() && lines_[0].ends_with("\r\n") ? "\r\n" : "\n"),
          root_(YAML::Load(std::string(front))) {}

    std::string edited(const PathLists& wanted) {
        const std::optional<Span> found = entry(root_, "paths", {0, lines_.size()});
        const YAML::Node paths = found ? root_["paths"] : YAML::Node();
        if (found && paths.IsMap() && paths.Style() != YAML::EmitterStyle::Flow &&
            paths.size() != 0) {
            change_members(paths, *found, wanted);
        } else {
            if (found) clear(*found);
            const std::size_t at = found ? found->begin : lines_.size();
            if (at > 0 && !lines_[at - 1].ends_with('\n')) lines_[at - 1] += newline_;
            std::string text = "paths:" + newline_;
            each(wanted, [&](const char* key, const Globs& globs) {
                text += "  " + list_text(key, globs, 2);
            });
            if (text.ends_with("paths:" + newline_)) text.clear();
            insert(at, text);
        }
        std::string out;
        for (const std::string& line : lines_) out += line;
        return out;
    }

  private:
    template <typename Visit>
    static void each(const PathLists& wanted, const Visit& visit) {
        if (wanted.read) visit("read", *wanted.read);
        if (wanted.write) visit("write", *wanted.write);
        if (!wanted.deny.empty()) visit("deny", wanted.deny);
    }
    // "read:\n    - \"src/**\"\n", for a key in that column.
    std::string list_text(const std::string& key, const Globs& globs, std::size_t column) const {
        if (globs.empty()) return key + ": []" + newline_;
        std::string text = key + ":" + newline_;
        for (const std::string& glob : globs)
            text += std::string(column + 2, ' ') + "- " + chat::quoted(glob) + newline_;
        return text;
    }
    void insert(std::size_t at, const std::string& text) {
        const Lines added = lines_of(text);
        lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(at), added.begin(), added.end());
    }
    // Removes an entry's lines but for the comments in them.
    void clear(const Span& span) {
        for (std::size_t i = span.begin; i < span.end; ++i) {
            const std::string comment = comment_of(lines_[i]);
            lines_[i] = comment.empty() ? "" : comment + newline_;
        }
    }
    // The lines of the key's entry in a mapping whose lines are `within`. Blank lines and comments
    // behind it belong to what follows.
    std::optional<Span> entry(const YAML::Node& map, const std::string& key,
                              const Span& within) const {
        if (!map.IsMap()) return std::nullopt;
        std::optional<Span> found;
        std::size_t next = within.end;
        for (const auto& member : map) {
            const auto line = static_cast<std::size_t>(member.first.Mark().line);
            if (member.first.Scalar() == key)
                found = Span{line, next = within.end};
            else if (found)
                next = std::min(next, line);
        }
        if (found) found->end = trimmed_end(found->begin, next);
        return found;
    }
    std::size_t trimmed_end(std::size_t begin, std::size_t end) const {
        while (end > begin + 1 && is_blank_or_comment(lines_[end - 1])) --end;
        return end;
    }
    void change_members(const YAML::Node& paths, const Span& within, const PathLists& wanted) {
        const auto column = static_cast<std::size_t>(paths.begin()->first.Mark().column);
        const auto change = [&](const char* key, const Globs* globs) {
            const std::optional<Span> span = entry(paths, key, within);
            if (!span && globs)
                added_.push_back(std::string(column, ' ') + list_text(key, *globs, column));
            else if (span && !globs)
                clear(*span);
            else if (span)
                change_list(paths[key], *span, key, *globs, column);
        };
        // from the top: the lines keep their numbers until the texts are put together
        change("read", wanted.read ? &*wanted.read : nullptr);
        change("write", wanted.write ? &*wanted.write : nullptr);
        change("deny", wanted.deny.empty() ? nullptr : &wanted.deny);
        std::string& last = lines_[within.end - 1];
        if (!added_.empty() && !last.empty() && !last.ends_with('\n')) last += newline_;
        for (const std::string& text : added_) last += text;
    }
    void change_list(const YAML::Node& list, const Span& span, const std::string& key,
                     const Globs& globs, std::size_t column) {
        if (!list.IsSequence() || list.Style() == YAML::EmitterStyle::Flow || list.size() == 0) {
            clear(span);
            lines_[span.begin] += std::string(column, ' ') + list_text(key, globs, column);
            return;
        }
        if (globs.empty()) {
            clear(span);
            lines_[span.begin] += std::string(column, ' ') + key + ": []" + newline_;
            return;
        }
        Globs missing = globs;
        for (std::size_t i = 0; i < list.size(); ++i) {
            const auto line = static_cast<std::size_t>(list[i].Mark().line);
            const std::size_t next =
                i + 1 < list.size() ? static_cast<std::size_t>(list[i + 1].Mark().line) : span.end;
            const auto at = std::find(missing.begin(), missing.end(), list[i].Scalar());
            if (at != missing.end())
                missing.erase(at);
            else
                clear({line, trimmed_end(line, next)});
        }
        const auto first = static_cast<std::size_t>(list[0].Mark().line);
        const std::size_t dash = std::min(lines_first_dash(first), column + 2);
        std::string& last = lines_[span.end - 1];
        if (!last.empty() && !last.ends_with('\n')) last += newline_;
        for (const std::string& glob : missing)
            last += std::string(dash, ' ') + "- " + chat::quoted(glob) + newline_;
    }
    std::size_t lines_first_dash(std::size_t line) const { return lines_[line].find('-'); }

    Lines lines_;
    std::string newline_;
    YAML::Node root_;
    Lines added_;
};

}  // namespace

std::string with_paths(std::string_view text, const PathLists& paths, std::string_view path) {
    const Preset before = parse_preset(text, path);
    const std::string mark(text.substr(0, text.size() - base::without_bom(text).size()));
    text.remove_prefix(mark.size());
    const auto front = find_front_matter(text);
    std::string changed;
    if (front) {
        PathsEditor editor(text.substr(front->begin, front->end - front->begin));
        changed = mark + std::string(text.substr(0, front->begin)) + editor.edited(paths) +
                  std::string(text.substr(front->end));
    } else {
        changed = mark + "---\n" + PathsEditor("").edited(paths) + "---\n" + std::string(text);
    }
    const Preset after = parse_preset(changed, path);
    const bool is_as_wanted =
        after.paths == paths && after.model == before.model && after.tools == before.tools &&
        after.system_message == before.system_message && after.unread == before.unread;
    if (is_as_wanted) return changed;
    throw base::Error(base::ErrorCode::config_invalid,
                      base::visible(path, base::Newlines::escape) +
                          ": its paths cannot be written without changing the rest",
                      "write them as a block: paths:, below it read:, each glob in its own line");
}

}  // namespace chorus::agent
