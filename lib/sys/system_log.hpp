#pragma once

#include <string_view>

namespace chorus::sys {

// Writes one line to syslog(3), facility authpriv, as "chorus[pid]". Throws where /dev/log is
// missing; whether the line was stored is not known.
void write_system_log(std::string_view text);

}  // namespace chorus::sys
