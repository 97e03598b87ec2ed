#pragma once

#include <string_view>

namespace chorus::sys {

// One line to syslog(3), facility authpriv, as "chorus[pid]". Throws where nobody listens on
// /dev/log; that it was kept cannot be told.
void write_system_log(std::string_view text);

}  // namespace chorus::sys
