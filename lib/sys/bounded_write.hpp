// Output to somebody who may not read it.
#pragma once

#include <functional>
#include <string_view>

namespace chorus::sys {

// While nobody reads the pipe, socket or terminal, `gives_up` is asked ten times a second, and
// where it says so the rest is not written: false with errno ETIMEDOUT. Other errors as
// try_write_all().
bool try_write_until(int fd, std::string_view bytes, const std::function<bool()>& gives_up);

}  // namespace chorus::sys
