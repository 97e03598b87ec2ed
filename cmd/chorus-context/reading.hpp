// Shared by the verbs that print records.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "chat/json_text.hpp"
#include "cli/command.hpp"
#include "cli/field.hpp"
#include "store/history.hpp"
#include "sys/environment.hpp"

namespace chorus::context_command {

// --since and --until.
struct Span {
    std::string since;
    std::string until;
};
void add_span(cli::Command& verb, Span& span);
base::TimeMs since_of(const Span& span);
base::TimeMs until_of(const Span& span);

// Prints lines of fields: padded on a terminal, separated by tabs elsewhere.
class Columns {
  public:
    // Widths in characters, negative for right alignment. The last field is not padded.
    explicit Columns(std::vector<int> widths);
    bool on_terminal() const { return on_terminal_; }
    void print(const std::vector<std::string>& fields) const;

  private:
    std::vector<int> widths_;
    bool on_terminal_;
};

// Whether stdout is a terminal and NO_COLOR is not set.
bool in_color(const sys::Environment& environment);

// Returns the first line that is not blank, cut to so many characters.
std::string brief(std::string_view text, std::size_t most_characters);
// Makes the text visible, indents its lines by four blanks, and ends each with a newline.
std::string indented(std::string_view text);
// "$0.0123"; "-" if no price is known.
std::string dollars(double usd, bool is_known);

// Writes into an open object.
void write_members(chat::JsonText& out, const store::StoredMessage& said);
// Returns the content and the calls of a message as one text.
std::string text_of(const chat::Message& message);

// Prints messages as lines of fields, on a terminal as paragraphs.
class MessageLines {
  public:
    void print(const store::StoredMessage& said) const;

  private:
    Columns columns_{{0, 0, 0, 0}};
};

}  // namespace chorus::context_command
