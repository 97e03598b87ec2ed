#include "cli/main.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <iostream>
#include <new>
#include <optional>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "cli/completion.hpp"
#include "cli/error_stream.hpp"
#include "cli/help.hpp"
#include "cli/parse.hpp"
#include "cli/terminal_guard.hpp"
#include "cli/values.hpp"
#include "sys/environment.hpp"
#include "sys/signals.hpp"

namespace chorus::cli {
namespace {

using base::Error;
using base::ErrorCode;
using base::ExitStatus;

// An error that occurs while another is reported is reported too.
void report(const Program& program, const sys::Environment& environment, const Error& told) {
    Error error = told;
    try {
        if (program.redact)
            error = Error(told.code(), program.redact(told.message(), environment),
                          program.redact(told.hint(), environment));
    } catch (const Error&) {
        // unreadable credentials are not the error to report
    }
    try {
        if (!program.on_error || !program.on_error(error)) print_error(program.name, error);
    } catch (const Error& another) {
        print_error(program.name, another);
    }
}

// For the shells' scripts; not shown in --help.
constexpr std::string_view completes = "--complete";

// Errors are ignored: a command line that is being typed is not the place to print them.
ExitStatus complete_line(const Program& program, const std::vector<std::string>& words) {
    Completion completion = complete(program, words);
    try {
        offer_values(completion, sys::Environment::of_process());
    } catch (const std::exception&) {
    }
    std::cout << printed(completion);
    return ExitStatus::done;
}

Error unknown_verb(const Program& program, const std::string& word) {
    std::vector<std::string> names;
    for (const Verb& verb : program.verbs)
        if (!verb.is_hidden) names.emplace_back(verb.name);
    const auto near = base::nearest(word, names, 1);
    return {ErrorCode::bad_request, "usage: there is no verb " + base::quoted(word),
            near.empty() ? "one of " + base::join(names, ", ")
                         : "did you mean " + std::string(program.name) + " " + near.front() + "?"};
}

// Every program calls it NAME; some verbs take it as the option -A.
bool names_agents(const Option& option) {
    return option.name() == "NAME" || option.name() == "--agent";
}

ExitStatus run_command(Command& command, const Options& options, const std::vector<Verb>& verbs,
                       const std::vector<std::string>& arguments,
                       const std::function<std::string()>& agent_here) {
    const Action action = options ? options(command) : Action();
    switch (parse(command, arguments)) {
        case Wanted::help:
            std::cout << help(command, verbs);
            return ExitStatus::done;
        case Wanted::version:
            std::cout << command.path() << " " CHORUS_VERSION "\n";
            return ExitStatus::done;
        case Wanted::run:
            break;
    }
    if (!action)
        throw Error(ErrorCode::bad_request, "usage: the verb is missing",
                    "see " + command.path() + " --help");
    if (agent_here)
        for (const Option& option : command.options())
            if (names_agents(option)) option.replace(".", agent_here);
    return action();
}

ExitStatus run(const Program& program, std::vector<std::string> arguments) {
    if (!arguments.empty() && arguments.front() == completes)
        return complete_line(program, {arguments.begin() + 1, arguments.end()});
    const std::string name(program.name);
    if (program.verbs.empty() || arguments.empty() || arguments.front().starts_with('-')) {
        Command command(name, program.description);
        return run_command(command, program.options, program.verbs, arguments, program.agent_here);
    }
    const std::string word = arguments.front();
    const Verb* verb = find_verb(program, word);
    if (verb == nullptr) throw unknown_verb(program, word);
    arguments.erase(arguments.begin());
    Command command(name + " " + word, verb->about);
    return run_command(command, verb->options, {}, arguments, program.agent_here);
}

// Ends silently as by SIGPIPE if stdout has no reader.
void end_where_nobody_reads() {
    pollfd output{STDOUT_FILENO, 0, 0};
    if (poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0) sys::end_by_broken_pipe();
}

// Promise 12: no exit status 0 unless all output was written.
ExitStatus after_flush(ExitStatus status, std::string_view program) {
    std::cout.flush();
    if (std::cout.good() && std::fflush(stdout) == 0) return status;
    end_where_nobody_reads();
    print_line(program, "error", "stdout: not everything could be written");
    return status == ExitStatus::done ? ExitStatus::failed : status;
}

// The next file opened, for example the database, would get the number of a closed one, and output
// would be written to it.
void hold_standard_descriptors() {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
        if (fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) < 0)
            throw base::system_error("/dev/null");
}

std::string_view running;

// Unwinding needs memory too, and could throw where nothing may throw. So the process ends here, in
// two calls; the database is as after a crash.
[[noreturn]] void end_out_of_memory() {
    std::string_view words = ": error: out of memory\n";
    const std::array line{iovec{const_cast<char*>(running.data()), running.size()},
                          iovec{const_cast<char*>(words.data()), words.size()}};
    [[maybe_unused]] const ssize_t written =
        writev(STDERR_FILENO, line.data(), static_cast<int>(line.size()));
    _exit(static_cast<int>(ExitStatus::failed));
}

}  // namespace

void print_line(std::string_view program, std::string_view kind, std::string_view text) {
    write_error(error_line(program, kind, text));
}

void notice(std::string_view text) {
    print_line(running, "notice", text);
}

void alert(std::string_view text) {
    print_line(running, "alert", text);
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

const Verb* find_verb(const Program& program, std::string_view name) {
    for (const Verb& verb : program.verbs)
        if (verb.name == name) return &verb;
    return nullptr;
}

int run_main(int argc, char** argv, const Program& program) {
    running = program.name;
    std::set_new_handler(end_out_of_memory);
    sys::Environment environment;
    try {
        hold_standard_descriptors();
        sys::restart_without_library_path(argv);
        sys::harden_process();
        sys::keep_freed_memory();
        environment = sys::Environment::of_process();
        std::optional<TerminalGuard> guard;
        if (isatty(STDOUT_FILENO) == 1) guard.emplace(std::cout);
        return static_cast<int>(after_flush(run(program, {argv + 1, argv + argc}), program.name));
    } catch (const Error& error) {
        if (error.cause() == base::Cause::no_reader) end_where_nobody_reads();
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
