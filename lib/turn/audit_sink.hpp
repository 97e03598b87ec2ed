// Where audit rows go beside the database (key audit_sink of config.json): to a file, as JSON
// lines, or to syslog. The database is the record; the sink is a copy that comes after it.
#pragma once

#include <functional>
#include <string>

#include "store/store.hpp"

namespace chorus::turn {

struct AuditSink {
    std::string target;     // an absolute path, or "syslog"; "": there is none
    std::string lock_path;  // Home::audit_lock(): one process delivers at a time
};

// Brings the sink up to the newest row: each row once and in order, also where processes that were
// to do it were killed. (Then syslog may get rows twice, and so may a file that was rotated right
// there.) A new sink gets all rows there are. After
// the commit of the rows, and not inside a transaction. What fails is told on `warn` once per
// process, and made up for by the next call of any process; nothing is thrown.
void deliver_audit(store::Store& store, const AuditSink& sink,
                   const std::function<void(const std::string&)>& warn);

}  // namespace chorus::turn
