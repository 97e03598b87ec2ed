// The error type and the table of exit statuses. A library's errors are turned into an Error in the
// one directory that uses the library. Outcomes that a caller can handle (absent, refused) are
// returned as values.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace chorus::base {

// The table of chorus(7), section EXIT STATUS.
enum class ExitStatus : int {
    done = 0,
    failed = 1,
    bad_request = 2,
    config_invalid = 3,
    not_found = 4,
    exists = 5,
    unauthorized = 6,
    provider = 7,
    schema = 8,
    limit = 9,
    input_required = 10,
    denied = 11,
    try_later = 75,
    timeout = 124,
    hangup = 129,
    interrupted = 130,
    terminated = 143,
};

enum class ErrorCode {
    failed,
    internal,
    bad_request,
    config_invalid,
    not_found,
    exited,
    no_prompt,
    not_ready,
    exists,
    unauthorized,
    out_of_credits,
    forbidden,
    no_internet,
    server_error,
    no_driver,
    provider_error,
    schema_mismatch,
    limit,
    input_required,
    denied,
    agent_busy,
    parked,
    rate_limited,
    switch_in_progress,
    timeout,
    canceled,
};

// The name in JSON: "BAD_REQUEST".
std::string_view name(ErrorCode code);
std::optional<ErrorCode> find_error_code(std::string_view name);
// `canceled` maps to `interrupted`; a caller that knows the signal chooses between 129, 130 and
// 143.
ExitStatus exit_status(ErrorCode code);

// Tells causes of one error code apart, for callers that can recover.
enum class Cause {
    unknown,
    full_disk,  // or an exhausted quota
    no_reader,  // the other end of a pipe is closed
    damage,     // the database, or a part of it, cannot be read
    database,   // it cannot be read or written for another reason
};

class Error : public std::exception {
  public:
    // message: "what: why", lower case, no full stop. hint: what to do, may be empty. Both are
    // written to JSON, so invalid UTF-8 (from a file or its name) is replaced.
    Error(ErrorCode code, std::string message, std::string hint = {}, Cause cause = Cause::unknown);

    ErrorCode code() const { return code_; }
    const std::string& message() const { return message_; }
    const std::string& hint() const { return hint_; }
    Cause cause() const { return cause_; }
    const char* what() const noexcept override { return message_.c_str(); }

  private:
    ErrorCode code_;
    std::string message_;
    std::string hint_;
    Cause cause_;
};

// Returns full_disk or unknown for an errno.
Cause cause_of(int error_number);

// "what: No such file or directory", from errno unless given.
Error system_error(std::string_view what, int error_number = 0);

}  // namespace chorus::base
