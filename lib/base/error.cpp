#include "base/error.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.hpp"

namespace chorus::base {
namespace {

struct Row {
    ErrorCode code;
    std::string_view name;
    ExitStatus status;
};

constexpr std::array rows{
    Row{ErrorCode::failed, "FAILED", ExitStatus::failed},
    Row{ErrorCode::internal, "INTERNAL", ExitStatus::failed},
    Row{ErrorCode::bad_request, "BAD_REQUEST", ExitStatus::bad_request},
    Row{ErrorCode::config_invalid, "CONFIG_INVALID", ExitStatus::config_invalid},
    Row{ErrorCode::not_found, "NOT_FOUND", ExitStatus::not_found},
    Row{ErrorCode::exited, "EXITED", ExitStatus::not_found},
    Row{ErrorCode::no_prompt, "NO_PROMPT", ExitStatus::not_found},
    Row{ErrorCode::not_ready, "NOT_READY", ExitStatus::not_found},
    Row{ErrorCode::exists, "EXISTS", ExitStatus::exists},
    Row{ErrorCode::unauthorized, "UNAUTHORIZED", ExitStatus::unauthorized},
    Row{ErrorCode::out_of_credits, "OUT_OF_CREDITS", ExitStatus::unauthorized},
    Row{ErrorCode::forbidden, "FORBIDDEN", ExitStatus::unauthorized},
    Row{ErrorCode::no_internet, "NO_INTERNET", ExitStatus::provider},
    Row{ErrorCode::server_error, "SERVER_ERROR", ExitStatus::provider},
    Row{ErrorCode::no_driver, "NO_DRIVER", ExitStatus::provider},
    Row{ErrorCode::provider_error, "PROVIDER_ERROR", ExitStatus::provider},
    Row{ErrorCode::schema_mismatch, "SCHEMA_MISMATCH", ExitStatus::schema},
    Row{ErrorCode::limit, "LIMIT", ExitStatus::limit},
    Row{ErrorCode::input_required, "INPUT_REQUIRED", ExitStatus::input_required},
    Row{ErrorCode::denied, "DENIED", ExitStatus::denied},
    Row{ErrorCode::agent_busy, "AGENT_BUSY", ExitStatus::try_later},
    Row{ErrorCode::parked, "PARKED", ExitStatus::try_later},
    Row{ErrorCode::rate_limited, "RATE_LIMITED", ExitStatus::try_later},
    Row{ErrorCode::switch_in_progress, "SWITCH_IN_PROGRESS", ExitStatus::try_later},
    Row{ErrorCode::timeout, "TIMEOUT", ExitStatus::timeout},
    Row{ErrorCode::canceled, "CANCELED", ExitStatus::interrupted},
};

constexpr bool rows_follow_the_enum() {
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (static_cast<std::size_t>(rows[i].code) != i) return false;
    return rows.size() == static_cast<std::size_t>(ErrorCode::canceled) + 1;
}
static_assert(rows_follow_the_enum());

}  // namespace

std::string_view name(ErrorCode code) {
    return rows[static_cast<std::size_t>(code)].name;
}

std::optional<ErrorCode> find_error_code(std::string_view name) {
    for (const Row& row : rows)
        if (row.name == name) return row.code;
    return std::nullopt;
}

ExitStatus exit_status(ErrorCode code) {
    return rows[static_cast<std::size_t>(code)].status;
}

Error::Error(ErrorCode code, std::string message, std::string hint, Cause cause)
    : code_(code),
      message_(find_invalid_utf8(message) ? replace_invalid_utf8(message) : std::move(message)),
      hint_(find_invalid_utf8(hint) ? replace_invalid_utf8(hint) : std::move(hint)),
      cause_(cause) {}

Cause cause_of(int error_number) {
    if (error_number == EPIPE) return Cause::no_reader;
    return error_number == ENOSPC || error_number == EDQUOT ? Cause::full_disk : Cause::unknown;
}

Error system_error(std::string_view what, int error_number) {
    const int number = error_number != 0 ? error_number : errno;
    // An interrupted call is retried unless a signal is to end the command.
    if (number == EINTR) return {ErrorCode::canceled, std::string(what) + ": interrupted"};
    const Cause cause = cause_of(number);
    return {ErrorCode::failed, std::string(what) + ": " + std::strerror(number),
            cause == Cause::full_disk ? "free some space on that disk, or use another path" : "",
            cause};
}

}  // namespace chorus::base
