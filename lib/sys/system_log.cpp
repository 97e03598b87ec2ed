#include "sys/system_log.hpp"

#include <syslog.h>

#include "base/error.hpp"
#include "sys/file.hpp"

namespace chorus::sys {

void write_system_log(std::string_view text) {
    if (!exists(_PATH_LOG))
        throw base::Error(base::ErrorCode::failed,
                          "syslog: " _PATH_LOG " does not exist: no log daemon is running");
    openlog("chorus", LOG_PID, LOG_AUTHPRIV);
    syslog(LOG_AUTHPRIV | LOG_NOTICE, "%.*s", static_cast<int>(text.size()), text.data());
    closelog();
}

}  // namespace chorus::sys
