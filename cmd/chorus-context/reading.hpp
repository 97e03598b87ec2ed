// Shared by the verbs that print records.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "cli/table.hpp"
#include "cli/time_text.hpp"
#include "store/history.hpp"
#include "sys/environment.hpp"

namespace chorus::command {

// --since and --until.
struct Span {
    void add(cli::Command& verb);
    template <typename Filter>
    void limit(Filter& filter) const {
        if (!since.empty()) filter.since = cli::require_time(since, "--since");
        if (!until.empty()) filter.until = cli::require_time(until, "--until");
    }
    std::string since;
    std::string until;
};

// Whether stdout is a terminal and NO_COLOR is not set.
bool in_color(const sys::Environment& environment);

// Returns the first line that is not blank, cut to so many characters.
std::string brief(std::string_view text, std::size_t most_characters);
// Makes the text visible, indents its lines by four blanks, and ends each with a newline.
std::string indented(std::string_view text);
// "$0.0123"; "-" if no price is known.
std::string dollars(base::MicroUsd cost);  // "-" if it is not known

// The members usage and cost_usd.
cli::Field usage_field(const chat::Usage& usage);
cli::Field cost_field(base::MicroUsd cost);
cli::Fields fields_of(const store::StoredMessage& said);
// Returns the content and the calls of a message as one text.
std::string text_of(const chat::Message& message);
// Prints a message as a line of fields, on a terminal as a paragraph.
void print(const store::StoredMessage& said, cli::Form form);

}  // namespace chorus::command
