#include "cli/main.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <cstdio>
#include <iostream>
#include <new>

#include "base/text.hpp"
#include "cli/completion.hpp"
#include "cli/conflicts.hpp"
#include "cli/empty.hpp"
#include "cli/values.hpp"
#include "cli/version.hpp"
#include "sys/environment.hpp"
#include "sys/signals.hpp"

namespace chorus::cli {
namespace {

using base::Error;
using base::ErrorCode;
using base::ExitStatus;

// What goes wrong while an error is told is told too.
void report(const Program& program, const sys::Environment& environment, const Error& told) {
    Error error = told;
    try {
        if (program.redact)
            error = Error(told.code(), program.redact(told.message(), environment),
                          program.redact(told.hint(), environment));
    } catch (const Error&) {
        // the credentials cannot be read, which is not what has to be told
    }
    try {
        if (!program.on_error || !program.on_error(error)) print_error(program.name, error);
    } catch (const Error& another) {
        print_error(program.name, another);
    }
}

// Help and version; anything else that CLI11 throws is a usage error.
ExitStatus report_parse_end(const CLI::App& app, const CLI::ParseError& error,
                            const Program& program, const sys::Environment& environment) {
    if (dynamic_cast<const CLI::CallForHelp*>(&error) != nullptr) {
        std::cout << app.help();
        return ExitStatus::done;
    }
    if (dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr) {
        std::cout << program.name << ' ' << version() << '\n';
        return ExitStatus::done;
    }
    std::string what = error.what();
    // CLI11 misses the subcommand before it looks at what was typed instead
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && app.remaining_size() > 0)
        what = CLI::ExtrasError(app.remaining()).what();
    // a sentence, not the name of an argument
    if (what.size() > 1 && std::isupper(what[1]) == 0)
        what.front() = static_cast<char>(std::tolower(what.front()));
    const Error usage(ErrorCode::bad_request, "usage: " + what,
                      "see " + std::string(program.name) + " --help");
    report(program, environment, usage);
    return ExitStatus::bad_request;
}

// For the shells' scripts, and not in --help.
constexpr std::string_view completes = "--complete";

// Whatever is wrong, a line that is being typed is no place to say it.
ExitStatus complete_line(const CLI::App& app, const std::vector<std::string>& words) {
    Completion completion = complete(app, words);
    try {
        offer_values(completion, sys::Environment::of_process());
    } catch (const std::exception&) {
    }
    std::cout << printed(completion);
    return ExitStatus::done;
}

ExitStatus run(int argc, char** argv, const Program& program, const sys::Environment& environment) {
    CLI::App app{std::string(program.description), std::string(program.name)};
    app.set_version_flag("--version", std::string(version()));
    app.get_formatter()->column_width(34);
    const auto action = program.options(app);
    refuse_conflicts(app);
    if (argc > 1 && argv[1] == completes) return complete_line(app, {argv + 2, argv + argc});
    refuse_empty_values(app, program.may_be_empty);
    try {
        if (const auto word = find_empty_word(app, {argv, argv + argc}); !word.empty())
            throw CLI::ValidationError(word, "is empty");
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return report_parse_end(app, error, program, environment);
    }
    return action();
}

// Promise 12: no exit status 0 unless what was printed was written.
ExitStatus after_flush(ExitStatus status, std::string_view program) {
    std::cout.flush();
    if (std::cout.good() && std::fflush(stdout) == 0) return status;
    print_line(program, "error", "stdout: not everything could be written");
    return status == ExitStatus::done ? ExitStatus::failed : status;
}

// The number of a closed one would go to the next file opened, the database say, and be written to.
void hold_standard_descriptors() {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
        if (fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) < 0)
            throw base::system_error("/dev/null");
}

std::string out_of_memory;

// Unwinding takes memory too, and throws from where nothing may be thrown: the end is here, in two
// calls, and what was committed is as after a crash.
[[noreturn]] void end_out_of_memory() {
    [[maybe_unused]] const ssize_t written =
        write(STDERR_FILENO, out_of_memory.data(), out_of_memory.size());
    _exit(static_cast<int>(ExitStatus::failed));
}

}  // namespace

void print_line(std::string_view program, std::string_view kind, std::string_view text) {
    const std::string line = std::string(program) + ": " + std::string(kind) + ": " +
                             base::visible(text, base::Newlines::escape) + "\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

void print_error(std::string_view program, const Error& error) {
    print_line(program, "error", error.message());
    if (!error.hint().empty()) print_line(program, "hint", error.hint());
}

ExitStatus exit_status(const Error& error) {
    if (error.code() == ErrorCode::canceled)
        if (const int signal = sys::Interrupt::install().signal(); signal != 0)
            return static_cast<ExitStatus>(128 + signal);
    return base::exit_status(error.code());
}

int run_main(int argc, char** argv, const Program& program) {
    out_of_memory = std::string(program.name) + ": error: out of memory\n";
    std::set_new_handler(end_out_of_memory);
    sys::Environment environment;
    try {
        hold_standard_descriptors();
        sys::restart_without_library_path(argv);
        sys::harden_process();
        sys::keep_freed_memory();
        environment = sys::Environment::of_process();
        return static_cast<int>(after_flush(run(argc, argv, program, environment), program.name));
    } catch (const Error& error) {
        report(program, environment, error);
        return static_cast<int>(after_flush(exit_status(error), program.name));
    } catch (const std::bad_alloc&) {
        end_out_of_memory();
    } catch (const std::exception& error) {
        print_line(program.name, "error", std::string("internal: ") + error.what());
    }
    return static_cast<int>(ExitStatus::failed);
}

}  // namespace chorus::cli
