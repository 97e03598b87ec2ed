// One stream of a task on disk; for this room's own use.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/limits.hpp"
#include "policy/redaction.hpp"
#include "sys/fd.hpp"

namespace chorus::task {

// Takes whatever comes, for a command never to wait for its log: what is beyond the bound, or what
// the disk does not take, is dropped, and the log says so.
class Log {
  public:
    // Made anew (0600); throws where it cannot be.
    Log(const std::string& path, const policy::Redaction& redaction,
        std::size_t most_bytes = base::limits::task_log_bytes);
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    void append(std::string_view piece) { shown_.write(piece); }
    // No more comes: what might have gone on as a secret is written.
    void end() { shown_.end(); }
    // A line of ours, beyond the bound too: "[chorus: …]".
    void note(std::string_view text);
    // Where the disk had no room for more, the newest part of the file makes room for others.
    void give_back();
    // Why something is missing, or "".
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
