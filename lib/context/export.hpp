// Formats a record: Markdown and HTML for people, JSON for programs, JSON lines for import.
#pragma once

#include <string>
#include <string_view>

#include "context/export_record.hpp"

namespace chorus::context {

// The schema named in the first line of JSON lines and in the JSON object.
constexpr std::string_view export_schema = "chorus.export/1";

// Headings, with calls and results in fences; hidden characters are made visible.
std::string to_markdown(const ExportRecord& record);
// One self-contained page that loads nothing (chorus-context(1), export).
std::string to_html(const ExportRecord& record);
// One object (chorus-home(5), EXPORT).
std::string to_json(const ExportRecord& record, base::TimeMs now);
// One object per line: agent, threads, turns, messages, sessions, end.
std::string to_jsonl(const ExportRecord& record, base::TimeMs now);

}  // namespace chorus::context
