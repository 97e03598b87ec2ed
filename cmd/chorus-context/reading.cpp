#include "chorus-context/reading.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <limits>

#include "base/text.hpp"
#include "chorus-context/verb.hpp"
#include "cli/time_text.hpp"
#include "sys/terminal.hpp"

namespace chorus::context_command {

void add_span(cli::Command& verb, Span& span) {
    verb.option("--since TIME", span.since, "only from TIME on");
    verb.option("--until TIME", span.until, "only before TIME");
}

bool in_color(const sys::Environment& environment) {
    return sys::takes_escapes(STDOUT_FILENO) && !environment.has("NO_COLOR");
}

base::TimeMs since_of(const Span& span) {
    return span.since.empty() ? 0 : cli::require_time(span.since, "--since");
}

base::TimeMs until_of(const Span& span) {
    return span.until.empty() ? std::numeric_limits<base::TimeMs>::max()
                              : cli::require_time(span.until, "--until");
}

Columns::Columns(std::vector<int> widths)
    : widths_(std::move(widths)), on_terminal_(isatty(STDOUT_FILENO) == 1) {}

void Columns::print(const std::vector<std::string>& fields) const {
    std::string line;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const bool is_last = i + 1 == fields.size();
        const int width = on_terminal_ && i < widths_.size() ? widths_[i] : 0;
        const auto wanted = static_cast<std::size_t>(std::abs(width));
        const std::size_t length = base::utf8_length(fields[i]);
        const std::string padding(wanted > length ? wanted - length : 0, ' ');
        if (width < 0) line += padding;
        line += fields[i];
        if (width > 0 && !is_last) line += padding;
        if (!is_last) line += on_terminal_ ? "  " : "\t";
    }
    std::cout << line << '\n';
}

std::string brief(std::string_view text, std::size_t most_characters) {
    std::string_view line;
    for (const std::string_view one : base::split_lines(text)) {
        line = base::trim(one);
        if (!line.empty()) break;
    }
    const std::string shown = one_line(line);
    if (base::utf8_length(shown) <= most_characters) return shown;
    std::size_t bytes = 0;
    for (std::size_t characters = 0; characters < most_characters; ++bytes)
        if ((static_cast<unsigned char>(shown[bytes]) & 0xC0U) != 0x80U) ++characters;
    return shown.substr(0, bytes - 1) + "…";
}

std::string indented(std::string_view text) {
    std::string out;
    const std::string shown = base::visible(text);
    for (const std::string_view line : base::split_lines(shown))
        out += line.empty() ? "\n" : "    " + std::string(line) + "\n";
    return out;
}

std::string dollars(double usd, bool is_known) {
    if (!is_known) return "-";
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "$%.4f", usd);
    return text.data();
}

void write_members(chat::JsonText& out, const store::StoredMessage& said) {
    const chat::Message& message = said.message;
    write_number(out, "id", message.id, 0);
    write_time(out, "created_at", message.timestamp);
    out.key("thread").number(said.thread);
    write_number(out, "turn_id", message.turn_id, 0);
    write_text(out, "role", chat::name(message.role));
    out.key("content").string(message.content).key("tool_calls").begin_array();
    for (const chat::ToolCall& call : message.tool_calls) {
        write_text(out.begin_object(), "id", call.id);
        write_text(out, "name", call.name);
        write_text(out, "arguments", call.arguments);
        out.end_object();
    }
    out.end_array();
    write_text(out, "tool_call_id", message.tool_call_id);
    out.key("is_error");
    if (message.role == chat::Role::tool_result)
        out.boolean(message.is_error);
    else
        out.null();
    write_text(out, "status", message.status);
    write_text(out, "restored_from", said.restored_from);
    write_time(out, "original_at", said.original_timestamp);
    out.key("left_window").boolean(said.left_for.has_value());
    write_number(out, "replaced_by", said.left_for.value_or(0), 0);
}

std::string text_of(const chat::Message& message) {
    std::string text = message.content;
    for (const chat::ToolCall& call : message.tool_calls)
        text += (text.empty() ? "[" : "\n[") + call.name + " " + call.arguments + "]";
    return text;
}

void MessageLines::print(const store::StoredMessage& said) const {
    const chat::Message& message = said.message;
    const std::string id = std::to_string(message.id);
    const std::string thread = std::to_string(said.thread);
    const std::string time = cli::shown_time(message.timestamp);
    const std::string role(chat::name(message.role));
    if (!columns_.on_terminal())
        return columns_.print({id, time, thread, role, one_line(text_of(message))});
    std::cout << id << "  " << time << "  thread " << thread << "  " << role << '\n'
              << indented(text_of(message)) << '\n';
}

}  // namespace chorus::context_command
