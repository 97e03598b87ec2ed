// The only file of the library that reads the environment. The edge takes one Environment at start
// and passes values down.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::sys {

class Environment {
  public:
    static Environment of_process();
    explicit Environment(std::map<std::string, std::string> values = {})
        : values_(std::move(values)) {}

    // Nothing where unset or empty.
    std::optional<std::string> find(const std::string& name) const;
    std::string get(const std::string& name, std::string fallback = {}) const;
    bool has(const std::string& name) const { return find(name).has_value(); }
    const std::map<std::string, std::string>& all() const { return values_; }
    // Milliseconds as CHORUS_*_MS are written, a bare number; 500ms, 20s, 10m are understood too.
    // Throws Error(bad_request) where malformed.
    std::optional<std::int64_t> find_ms(const std::string& name) const;

  private:
    std::map<std::string, std::string> values_;
};

// What a tool's command may see: PATH (its absolute entries), USER, LOGNAME, LANG, LC_*, TERM=dumb,
// TZ, TMPDIR=/tmp, CHORUS_AGENT, and the names listed. As "NAME=value", sorted. HOME comes from
// sandboxed().
std::vector<std::string> scrubbed_environment(const Environment& environment,
                                              const std::string& agent,
                                              const std::vector<std::string>& names);

// First in main: where LD_LIBRARY_PATH is set the program starts anew, without it.
void restart_without_library_path(char** arguments);
// Early in main: not dumpable, no core file, umask 077, SIGPIPE and SIGXFSZ ignored, and no
// variable in the environment that makes libraries load code or write files.
void harden_process();
// Ends this process as SIGPIPE does, unless it was started with that signal ignored: a service of
// systemd is.
void end_by_broken_pipe();
constexpr unsigned private_umask = 077;
// The umask that this process was started with; before harden_process(), its umask.
unsigned caller_umask();
// Whether TERM is set, and not "dumb".
bool term_takes_escapes();
// A process of milliseconds gains nothing by giving memory back: freed blocks, large ones too, are
// kept and used again, which spares the faults of touching new pages.
void keep_freed_memory();
// Overwrites the value in this process's memory, where /proc/self/environ shows it, and unsets it.
void wipe_environment_value(const char* name);

// CHORUS_NOW_MS, for clock.cpp; throws Error(bad_request) where malformed.
std::optional<std::int64_t> fixed_now_ms();

}  // namespace chorus::sys
