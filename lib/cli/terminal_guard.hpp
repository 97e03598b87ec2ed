// Keeps deceptive characters out of what is printed to a terminal, JSON included.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace chorus::cli {

// Returns the text with C1 controls, bidirectional, zero-width and tag characters as JSON escapes
// ("\u202e", a pair of surrogates above U+FFFF), which people see and JSON parsers read back. Bytes
// that are not UTF-8 become U+FFFD. C0 controls pass, as programs print their own.
std::string guarded(std::string_view text);

// Guards what goes through the stream while it lives.
class TerminalGuard : public std::streambuf {
  public:
    explicit TerminalGuard(std::ostream& stream);
    ~TerminalGuard() override;
    TerminalGuard(const TerminalGuard&) = delete;
    TerminalGuard& operator=(const TerminalGuard&) = delete;

  protected:
    int_type overflow(int_type byte) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;

  private:
    bool put(std::string_view text);

    std::ostream& stream_;
    std::streambuf* target_;
    std::string rest_;  // the start of an unfinished character
};

}  // namespace chorus::cli
