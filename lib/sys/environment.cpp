#include "sys/environment.hpp"

#include <malloc.h>
#include <signal.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/sanitizer.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "sys/fd.hpp"
#include "sys/process.hpp"

namespace chorus::sys {
namespace {

std::optional<std::int64_t> parse_whole(std::string_view text) {
    const auto number = base::parse_number<std::int64_t>(text);
    return number >= 0 ? number : std::nullopt;
}

base::Error malformed(const std::string& name, const std::string& value, const char* expected,
                      std::string hint = {}) {
    return {base::ErrorCode::bad_request,
            name + ": \"" + base::visible(value, base::Newlines::escape) + "\" is not " + expected,
            std::move(hint)};
}

std::map<std::string, std::string> values_of_process() {
    std::map<std::string, std::string> values;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos || equals == 0) continue;
        // The first of two equal names is the one getenv(3) finds.
        values.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return values;
}

constexpr const char* descriptor_variable = "CHORUS_ENVIRONMENT_FD";
constexpr std::size_t most_passed_bytes = 8U << 20;

std::map<std::string, std::string> values_of_text(const std::string& text) {
    std::map<std::string, std::string> values;
    for (const std::string_view entry : base::split(text, '\0'))
        if (const std::size_t equals = entry.find('='); equals != std::string_view::npos)
            values.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    return values;
}

// Prefixes of variables that make libraries load code, read configuration or write files: those
// that glibc drops in set-user-id programs, and those of the libraries that libcurl uses.
constexpr std::string_view obeyed_by_libraries[] = {
    "LD_",      "GLIBC_TUNABLES", "GCONV_PATH", "GETCONF_DIR", "HOSTALIASES",  "LOCPATH", "MALLOC_",
    "NIS_PATH", "NLSPATH",        "TZDIR",      "GIO_",        "GNUTLS_",      "GSS",     "KRB5",
    "LDAP",     "OPENSSL",        "P11_KIT_",   "SASL_",       "SSLKEYLOGFILE"};

void drop_library_variables() {
    std::vector<std::string> dropped;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (std::any_of(std::begin(obeyed_by_libraries), std::end(obeyed_by_libraries),
                        [text, first = **entry](std::string_view beginning) {
                            return first == beginning.front() && text.starts_with(beginning);
                        }))
            dropped.emplace_back(text.substr(0, text.find('=')));
    }
    for (const std::string& name : dropped) unsetenv(name.c_str());
}

// A relative entry would find programs in the command's current directory.
std::string absolute_entries(std::string_view path) {
    std::vector<std::string> kept;
    for (const std::string_view entry : base::split(path, ':'))
        if (entry.starts_with('/')) kept.emplace_back(entry);
    return base::join(kept, ":");
}

// A process has one umask, and is hardened once.
std::optional<mode_t>& umask_before() {
    static std::optional<mode_t> before;
    return before;
}

bool& ends_by_broken_pipe() {
    static bool ends = false;
    return ends;
}

bool always_passed(const std::string& name) {
    static constexpr const char* names[] = {"PATH", "USER", "LOGNAME", "LANG", "TZ", "TRACEPARENT"};
    return name.starts_with("LC_") ||
           std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

namespace {

std::map<std::string, std::string> initial_values() {
    std::map<std::string, std::string> values = values_of_process();
    const auto number = values.find(descriptor_variable);
    if (number == values.end()) return values;
    const int fd = base::parse_number<int>(number->second).value_or(-1);
    const Fd passed(fd > STDERR_FILENO ? fd : -1);
    std::string text;
    if (!passed || !try_read_all(fd, most_passed_bytes, text))
        throw malformed(number->first, number->second, "a descriptor with variables");
    return values_of_text(text);
}

}  // namespace

Environment Environment::of_process() {
    if (getenv(descriptor_variable) == nullptr) return Environment(values_of_process());
    // the descriptor can be read once
    static const std::map<std::string, std::string> passed = initial_values();
    return Environment(passed);
}

void Environment::pass_to(ProcessCommand& command) const {
    std::string text;
    for (const auto& [name, value] : values_) text += name + "=" + value + '\0';
    const int fd = command.pass(std::make_shared<const Fd>(memory_file(text)));
    command.environment.push_back(std::string(descriptor_variable) + "=" + std::to_string(fd));
}

std::optional<std::string> Environment::find(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end() || found->second.empty()) return std::nullopt;
    return found->second;
}

std::string Environment::get(const std::string& name, std::string fallback) const {
    return find(name).value_or(std::move(fallback));
}

std::optional<std::int64_t> Environment::find_ms(const std::string& name) const {
    constexpr std::int64_t most = 1'000'000'000'000'000;
    const auto text = find(name);
    if (!text) return std::nullopt;
    const bool is_in_seconds = name.ends_with("_SECS");
    if (const auto bare = parse_whole(*text); bare && *bare <= most)
        return *bare * (is_in_seconds ? 1'000 : 1);
    if (const auto with_unit = base::parse_duration_ms(*text)) return with_unit;
    throw malformed(name, *text, is_in_seconds ? "a number of seconds" : "a number of milliseconds",
                    std::string("write ") + (is_in_seconds ? "seconds" : "milliseconds") +
                        ", or a number with a unit: 500ms, 20s, 10m, 2h");
}

std::optional<std::int64_t> Environment::find_count(const std::string& name) const {
    constexpr std::int64_t most = 1'000'000'000;
    const auto text = find(name);
    if (!text) return std::nullopt;
    const auto count = parse_whole(*text);
    if (!count || *count > most) throw malformed(name, *text, "a whole number");
    return count;
}

std::optional<std::int64_t> fixed_now_ms() {
    const char* text = getenv("CHORUS_NOW_MS");
    if (text == nullptr || *text == '\0') return std::nullopt;
    if (const auto time = parse_whole(text)) return time;
    throw malformed("CHORUS_NOW_MS", text, "a number of milliseconds",
                    "write the time as milliseconds since 1970, or unset it");
}

std::vector<std::string> scrubbed_environment(const Environment& environment,
                                              const std::string& agent,
                                              const std::vector<std::string>& names) {
    std::map<std::string, std::string> kept;
    for (const auto& [name, value] : environment.all())
        if (always_passed(name) && !value.empty()) kept[name] = value;
    for (const std::string& name : names)
        if (const auto value = environment.find(name)) kept[name] = *value;
    kept["PATH"] = absolute_entries(kept["PATH"]);
    if (kept["PATH"].empty()) kept["PATH"] = "/usr/local/bin:/usr/bin:/bin";
    kept.erase("HOME");
    kept["TERM"] = "dumb";
    kept["TMPDIR"] = "/tmp";
    kept["CHORUS_AGENT"] = agent;

    std::vector<std::string> lines;
    for (const auto& [name, value] : kept) lines.push_back(name + "=" + value);
    std::sort(lines.begin(), lines.end());
    return lines;
}

void keep_freed_memory() {
    // larger blocks would leave holes in the heap that nothing fits into
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    mallopt(M_TOP_PAD, 256 << 10);
    // A turn fills this much of its heap: one call maps it sooner than a fault for each page.
    constexpr std::size_t filled = 640 << 10;
    const std::unique_ptr<void, decltype(&free)> heap(malloc(filled), &free);
    const auto first = reinterpret_cast<std::uintptr_t>(heap.get());
    const std::uintptr_t page = first & ~std::uintptr_t{4095};
    madvise(reinterpret_cast<void*>(page), filled, MADV_POPULATE_WRITE);
}

// glibc keeps the value from the start of the process and searches it for each library that it
// opens later: those of libcurl, and the modules of nsswitch.conf.
void restart_without_library_path(char** arguments) {
    constexpr const char* name = "LD_LIBRARY_PATH";
    if (getenv(name) == nullptr) return;
    unsetenv(name);
    execv("/proc/self/exe", arguments);
    throw base::system_error(std::string(name) + " is set, and restarting without it failed");
}

void harden_process() {
#ifndef CHORUS_ADDRESS_SANITIZER  // LeakSanitizer attaches to the process, which must be dumpable
    if (prctl(PR_SET_DUMPABLE, 0) != 0) throw base::system_error("prctl PR_SET_DUMPABLE");
#endif
    const rlimit none{0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0) throw base::system_error("setrlimit RLIMIT_CORE");
    drop_library_variables();
    umask_before() = umask(private_umask);
    // a closed pipe and a file size limit become errors of write(2) instead of ending the process
    const auto pipe_before = signal(SIGPIPE, SIG_IGN);
    if (pipe_before == SIG_ERR || signal(SIGXFSZ, SIG_IGN) == SIG_ERR)
        throw base::system_error("signal");
    ends_by_broken_pipe() = pipe_before != SIG_IGN;
}

void end_by_broken_pipe() {
    if (!ends_by_broken_pipe()) return;
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

bool term_takes_escapes() {
    const char* term = getenv("TERM");
    return term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
}

unsigned caller_umask() {
    if (umask_before()) return *umask_before();
    const mode_t present = umask(private_umask);  // there is no other way to read it
    umask(present);
    return present;
}

void wipe_environment_value(const char* name) {
    // a name may occur more than once
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::size_t size = std::strlen(name);
        if (std::strncmp(*entry, name, size) == 0 && (*entry)[size] == '=')
            explicit_bzero(*entry + size + 1, std::strlen(*entry + size + 1));
    }
    unsetenv(name);
}

}  // namespace chorus::sys
