// Writes to a reader that may not read.
#pragma once

#include <functional>
#include <string_view>

namespace chorus::sys {

// Writes all bytes. While the pipe, socket or terminal takes nothing, calls `gives_up` ten times a
// second; where that returns true, the rest is not written and the result is false with errno
// ETIMEDOUT. Other errors as try_write_all().
bool try_write_until(int fd, std::string_view bytes, const std::function<bool()>& gives_up);

}  // namespace chorus::sys
