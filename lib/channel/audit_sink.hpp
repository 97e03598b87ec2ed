// Copies audit rows to the sink named by the key audit_sink of config.json: a file of JSON lines,
// or syslog. The database is the record; the sink follows it.
#pragma once

#include <functional>
#include <string>

#include "store/store.hpp"

namespace chorus::channel {

struct AuditSink {
    std::string target;     // an absolute path, or "syslog"; "": no sink
    std::string lock_path;  // Home::audit_lock(): one process delivers at a time
};

// Writes all rows that the sink lacks, each once and in order, also after a process was killed
// while writing; only then may syslog, or a file rotated at that moment, get rows twice. A new sink
// gets all rows. To be called after the rows are committed, outside a transaction. A failure is
// reported to `warn` once per process, and the next call of any process makes up for it; nothing is
// thrown.
void deliver_audit(store::Store& store, const AuditSink& sink,
                   const std::function<void(const std::string&)>& warn);

}  // namespace chorus::channel
