#include "chorus-context/reading.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>

#include "base/text.hpp"
#include "chat/dialect.hpp"
#include "cli/field.hpp"
#include "sys/terminal.hpp"

namespace chorus::command {

using cli::Fields;
using cli::Form;
using cli::one_line;

void Span::add(cli::Command& verb) {
    verb.option("--since TIME", since, "only from TIME on");
    verb.option("--until TIME", until, "only before TIME");
}

bool in_color(const sys::Environment& environment) {
    return sys::takes_escapes(STDOUT_FILENO) && !environment.has("NO_COLOR");
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

std::string dollars(base::MicroUsd cost) {
    if (cost == base::unknown_cost) return "-";
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "$%.4f", base::in_usd(cost));
    return text.data();
}

cli::Field usage_field(const chat::Usage& usage) {
    return {"usage", cli::Member([usage](auto& out) { chat::write_usage(out, usage); })};
}

cli::Field cost_field(base::MicroUsd cost) {
    return {"cost_usd", cli::Member([cost](auto& out) { chat::write_cost(out, cost); })};
}

Fields fields_of(const store::StoredMessage& said) {
    const chat::Message& message = said.message;
    const auto call_fields = [](const chat::ToolCall& call) -> Fields {
        return {{"id", call.id}, {"name", call.name}, {"arguments", call.arguments}};
    };
    const auto attachment_fields = [](const chat::Attachment& file) -> Fields {
        return {{"sha256", file.sha256},
                {"name", file.name},
                {"mime_type", file.mime_type},
                {"size", file.size}};
    };
    const bool is_result = message.role == chat::Role::tool_result;
    return {{"id", cli::number(message.id, 0)},
            {"created_at", cli::Time{message.timestamp}},
            {"thread", said.thread},
            {"turn_id", cli::number(message.turn_id, 0)},
            {"role", chat::name(message.role)},
            {"content", cli::Json{chat::quoted(message.content)}},
            {"tool_calls", cli::each(message.tool_calls, call_fields)},
            {"tool_call_id", message.tool_call_id},
            {"is_error", is_result ? cli::Value(message.is_error) : cli::Value()},
            {"attachments", cli::each(message.attachments, attachment_fields)},
            {"status", message.status},
            {"restored_from", said.restored_from},
            {"original_at", cli::Time{said.original_timestamp}},
            {"external_id", message.external_id},
            {"left_window", said.left_for.has_value()},
            {"replaced_by", cli::number(std::max<std::int64_t>(said.left_for.value_or(0), 0), 0)}};
}

std::string text_of(const chat::Message& message) {
    std::string text = chat::shown_content(message);
    for (const chat::ToolCall& call : message.tool_calls)
        text += (text.empty() ? "[" : "\n[") + call.name + " " + call.arguments + "]";
    return text;
}

void print(const store::StoredMessage& said, Form form) {
    const chat::Message& message = said.message;
    const std::string text = text_of(message);
    const std::string time = cli::shown_time(message.timestamp);
    if (form == Form::terminal)
        std::cout << message.id << "  " << time << "  thread " << said.thread << "  "
                  << chat::name(message.role) << '\n'
                  << indented(text) << '\n';
    else
        std::cout << message.id << '\t' << time << '\t' << said.thread << '\t'
                  << chat::name(message.role) << '\t' << one_line(text) << '\n';
}

}  // namespace chorus::command
