#include "channel/audit_sink.hpp"

#include <atomic>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "store/records.hpp"
#include "store/settings.hpp"
#include "sys/line_log.hpp"
#include "sys/lock.hpp"
#include "sys/system_log.hpp"

namespace chorus::channel {
namespace {

constexpr std::int64_t longest_wait_ms = 2'000;
constexpr std::size_t longest_line_bytes = 64U << 20;
constexpr std::size_t write_bytes = 1U << 20;
constexpr std::size_t system_log_bytes = 8U << 10;
constexpr std::string_view setting_scope = "home";

std::string key_of(const AuditSink& sink) {
    return "audit_sink " + sink.target;
}

// Returns the newest row that the sink got, as far as the database knows.
std::int64_t noted(store::Store& store, const AuditSink& sink) {
    return base::parse_number<std::int64_t>(store::find_setting(store, setting_scope, key_of(sink)))
        .value_or(0);
}

void note(store::Store& store, const AuditSink& sink, std::int64_t id) {
    store::Transaction transaction(store);
    store::set_setting(store, setting_scope, key_of(sink), std::to_string(id));
    transaction.commit();
}

// Returns the id of the row in the line, 0 if it is not a row of this home.
std::int64_t row_of(store::Store& store, const std::string& line) {
    const auto json = chat::try_parse_json(line, longest_line_bytes);
    if (!json || !json->is_object()) return 0;
    const std::int64_t id = chat::integer_or(*json, "id");
    std::int64_t found = 0;
    store::for_each_audit(store, {.after = id - 1}, [&](const store::AuditEntry& entry) {
        if (entry.id == id && entry.hash == chat::string_or(*json, "hash")) found = id;
        return false;
    });
    return found;
}

// The last line of the file shows what it got, including what a killed process wrote without noting
// it. If that line is no row of this home, because the file was rotated or is new, the note counts.
std::int64_t append_to_file(store::Store& store, const AuditSink& sink) {
    sys::LineLog log(sink.target);
    const sys::LineLog::Tail tail = log.tail(longest_line_bytes);
    std::int64_t newest = row_of(store, tail.last);
    if (newest == 0) newest = noted(store, sink);
    std::string torn = tail.torn;
    std::string lines;
    const auto write = [&] {
        log.append(lines);
        lines.clear();
    };
    store::for_each_audit(store, {.after = newest}, [&](const store::AuditEntry& entry) {
        std::string line = store::audit_json(entry) + "\n";
        // completes a torn row; any other text there is ended as a line of its own
        if (!torn.empty()) line = line.starts_with(torn) ? line.substr(torn.size()) : "\n" + line;
        torn.clear();
        lines += line;
        newest = entry.id;
        if (lines.size() >= write_bytes) write();
        return true;
    });
    if (!lines.empty()) write();
    return newest;
}

std::string system_log_line(const store::AuditEntry& entry) {
    const std::string text = base::visible(store::audit_json(entry), base::Newlines::escape);
    if (text.size() <= system_log_bytes) return "audit " + text;
    return "audit " + std::string(base::utf8_prefix(text, system_log_bytes)) + "… (" +
           std::to_string(text.size()) + " bytes in all)";
}

std::int64_t write_to_system_log(store::Store& store, const AuditSink& sink) {
    std::int64_t newest = noted(store, sink);
    store::for_each_audit(store, {.after = newest}, [&](const store::AuditEntry& entry) {
        sys::write_system_log(system_log_line(entry));
        newest = entry.id;
        return true;
    });
    return newest;
}

void bring_up_to_date(store::Store& store, const AuditSink& sink) {
    if (noted(store, sink) == store::audit_head(store).rows) return;
    const auto lock =
        sys::Lock::acquire(sink.lock_path, sys::Lock::Mode::exclusive, longest_wait_ms);
    if (!lock)
        throw base::Error(base::ErrorCode::failed, "another process still holds " + sink.lock_path);
    const std::int64_t newest =
        sink.target == "syslog" ? write_to_system_log(store, sink) : append_to_file(store, sink);
    if (newest != noted(store, sink)) note(store, sink, newest);
}

}  // namespace

void deliver_audit(store::Store& store, const AuditSink& sink,
                   const std::function<void(const std::string&)>& warn) {
    static std::atomic<bool> told{false};
    if (sink.target.empty()) return;
    try {
        bring_up_to_date(store, sink);
    } catch (const base::Error& error) {
        if (!told.exchange(true))
            warn("audit_sink: " + error.message() +
                 ": missing rows are delivered later; the database has every row");
    }
}

}  // namespace chorus::channel
