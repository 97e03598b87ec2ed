// The only file of the library that reads the environment. A program takes one Environment at its
// start and passes values down.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace chorus::sys {

struct ProcessCommand;

class Environment {
  public:
    // The environment of this process, or the one that pass_to() handed to it.
    // Error(bad_request) if that cannot be read.
    static Environment of_process();
    explicit Environment(std::map<std::string, std::string> values = {})
        : values_(std::move(values)) {}

    // Nothing where unset or empty.
    std::optional<std::string> find(const std::string& name) const;
    std::string get(const std::string& name, std::string fallback = {}) const;
    bool has(const std::string& name) const { return find(name).has_value(); }
    const std::map<std::string, std::string>& all() const { return values_; }
    // Hands the values to a program of Chorus, over a descriptor, where no other process sees them;
    // its environment gets only the number.
    void pass_to(ProcessCommand& command) const;
    // Reads a bare number of milliseconds, or of seconds where the name ends in _SECS; 500ms, 20s
    // and 10m are accepted too. Throws Error(bad_request) where malformed.
    std::optional<std::int64_t> find_ms(const std::string& name) const;
    // Reads a whole number. Throws Error(bad_request) where malformed.
    std::optional<std::int64_t> find_count(const std::string& name) const;

  private:
    std::map<std::string, std::string> values_;
};

// Returns the environment of a tool's command: PATH (its absolute entries), USER, LOGNAME, LANG,
// LC_*, TERM=dumb, TZ, TRACEPARENT, TMPDIR=/tmp, CHORUS_AGENT, and the names listed. As
// "NAME=value", sorted. sandboxed() adds HOME.
std::vector<std::string> scrubbed_environment(const Environment& environment,
                                              const std::string& agent,
                                              const std::vector<std::string>& names);

// Called first in main: restarts the program without LD_LIBRARY_PATH where that is set.
void restart_without_library_path(char** arguments);
// Called early in main: makes the process not dumpable, disables core files, sets umask 077,
// ignores SIGPIPE and SIGXFSZ, and removes variables that make libraries load code or write files.
void harden_process();
// Ends this process as SIGPIPE does, unless it was started with that signal ignored, as systemd
// starts services.
void end_by_broken_pipe();
constexpr unsigned private_umask = 077;
// The umask that this process was started with; before harden_process(), its current umask.
unsigned caller_umask();
// Whether TERM is set, and not "dumb".
bool term_takes_escapes();
// For processes that run for milliseconds: keeps freed blocks of less than 4 MiB for reuse instead
// of returning them to the system, which avoids page faults.
void keep_freed_memory();
// Overwrites the value in this process's memory, where /proc/self/environ shows it, and unsets it.
void wipe_environment_value(const char* name);

// CHORUS_NOW_MS, for clock.cpp; throws Error(bad_request) where malformed.
std::optional<std::int64_t> fixed_now_ms();

}  // namespace chorus::sys
