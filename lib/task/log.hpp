// One stream of a task on disk; for this room's own use.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/limits.hpp"
#include "policy/redaction.hpp"
#include "sys/fd.hpp"

namespace chorus::task {

// Takes all output, so that a command never waits for its log: what exceeds the limit, or cannot be
// written to the disk, is dropped, and the log says so.
class Log {
  public:
    // Makes or truncates the file (0600); throws where that fails.
    Log(const std::string& path, const policy::Redaction& redaction,
        std::size_t most_bytes = base::limits::task_log_bytes);
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    void append(std::string_view piece) { shown_.write(piece); }
    // Ends the output: writes what was held back because it might have become a secret.
    void end() { shown_.end(); }
    // Writes a line of Chorus, beyond the limit too: "[chorus: …]".
    void note(std::string_view text);
    // Where output was lost, cuts off the end of the file to free space on the disk.
    void give_back();
    // Returns why output is missing, or "".
    const std::string& problem() const { return problem_; }

  private:
    void take(std::string_view piece);
    void write(std::string_view bytes);

    policy::RedactedStream shown_;
    sys::Fd file_;
    std::size_t left_;
    bool at_line_start_ = true;
    std::string problem_;
};

}  // namespace chorus::task
