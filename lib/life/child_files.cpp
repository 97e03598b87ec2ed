#include "life/child_files.hpp"

#include <algorithm>

#include "base/time.hpp"
#include "chat/json_text.hpp"
#include "sys/file.hpp"

namespace chorus::life {
namespace {

constexpr std::size_t time_digits = 14;

std::string metadata_of(const store::Agent& child, const std::string& parent,
                        const std::string& cloned_from) {
    const auto line = [](const char* key, const std::string& value) {
        return std::string(key) + ": " + chat::quoted(value) + "\n";
    };
    const std::string created = base::iso8601(child.created_at);
    return line("version", "3.0") + line("session_id", child.name) + line("created", created) +
           line("updated", created) + line("type", "agent") + line("parent_session_id", parent) +
           line("preset", child.preset) +
           (cloned_from.empty() ? "" : line(agent::cloned_from_key, cloned_from));
}

}  // namespace

void write_child_files(const agent::Home& home, const std::string& path, const store::Agent& child,
                       const ChildFiles& files) {
    const agent::Directory made(path, home.path());
    // nobody reads them before the directory is moved into place, so they are synced together
    sys::append_file(made.configuration(), files.preset);
    sys::append_file(made.metadata(), metadata_of(child, files.parent, files.cloned_from));
    sys::append_file(made.transcript("main", 1, true),
                     files.transcript.empty() ? "# " + child.name + "\n" : files.transcript);
    sys::append_file(made.tool_log(), files.tool_log);
    sys::sync_filesystem(path);
}

std::string preset_in(const std::string& id) {
    for (std::size_t dash = id.find('-'); dash != std::string::npos;
         dash = id.find('-', dash + 1)) {
        const std::string digits = id.substr(dash + 1, time_digits);
        const bool is_time =
            digits.size() == time_digits &&
            std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
        const std::size_t after = dash + 1 + time_digits;
        if (is_time && (after == id.size() || id[after] == '-')) return id.substr(0, dash);
    }
    return {};
}

}  // namespace chorus::life
