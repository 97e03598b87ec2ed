#include "cli/error_stream.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "base/text.hpp"
#include "sys/fd.hpp"
#include "sys/signals.hpp"

namespace chorus::cli {

void write_error(std::string_view text, const std::function<bool()>& gives_up) {
    static std::atomic<bool> is_given_up = false;
    const auto is_over = [&] { return is_given_up || gives_up(); };
    is_given_up = !sys::try_write_until(STDERR_FILENO, text, is_over) && errno == ETIMEDOUT;
}

void write_error(std::string_view text) {
    write_error(text, sys::Interrupt::has_come);
}

std::string error_line(std::string_view program, std::string_view kind, std::string_view text) {
    return std::string(program) + ": " + std::string(kind) + ": " +
           base::visible(text, base::Newlines::escape) + "\n";
}

}  // namespace chorus::cli
