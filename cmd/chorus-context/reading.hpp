// What the verbs share that show what is on record.
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

// A line of fields: padded on a terminal, elsewhere parted by tabs.
class Columns {
  public:
    // Characters; a number to be set right is negative, the last field is not padded.
    explicit Columns(std::vector<int> widths);
    bool on_terminal() const { return on_terminal_; }
    void print(const std::vector<std::string>& fields) const;

  private:
    std::vector<int> widths_;
    bool on_terminal_;
};

// Whether stdout is a terminal on which colours are wanted.
bool in_color(const sys::Environment& environment);

// The first line that says something, at most so many characters.
std::string brief(std::string_view text, std::size_t most_characters);
// Indented by four blanks, made visible, each line ended.
std::string indented(std::string_view text);
// "$0.0123"; "-" where no price is known.
std::string dollars(double usd, bool is_known);

// Into an object that is open.
void write_members(chat::JsonText& out, const store::SaidMessage& said);
// What was said and called, in one text.
std::string text_of(const chat::Message& message);

// Messages as lines of fields, on a terminal as paragraphs.
class MessageLines {
  public:
    void print(const store::SaidMessage& said) const;

  private:
    Columns columns_{{0, 0, 0, 0}};
};

}  // namespace chorus::context_command
