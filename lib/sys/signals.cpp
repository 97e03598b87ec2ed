#include "sys/signals.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "base/error.hpp"
#include "sys/clock.hpp"
#include "sys/terminal.hpp"

namespace chorus::sys {
namespace {

// timeout(1) signals its child and then the child's group; npm and others pass on what the terminal
// sent to all. A person does not press ^C twice within this time.
constexpr std::int64_t echo_ms = 100;
constexpr int mark_of_request = 0x63686f72;

std::atomic<int> first_signal{0};
std::atomic<std::int64_t> first_at_ms{0};
std::atomic<int> event_fd{-1};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may touch nothing else");

bool is_echo(int number) {
    return number == first_signal && monotonic_ms() - first_at_ms < echo_ms;
}

bool is_request(const siginfo_t& info) {
    return info.si_code == SI_QUEUE && info.si_value.sival_int == mark_of_request;
}

void note_signal(int number, siginfo_t* info, void*) {
    const int kept = errno;
    int none = 0;
    if (!first_signal.compare_exchange_strong(none, number)) {
        if (number == SIGHUP || is_echo(number) || is_request(*info)) return;
        show_hidden_cursor();
        _exit(static_cast<int>(base::ExitStatus::interrupted));
    }
    first_at_ms = monotonic_ms();
    const std::uint64_t one = 1;
    // A counter of 0 takes one write without blocking; a failure cannot be reported here.
    [[maybe_unused]] const ssize_t written = write(event_fd, &one, sizeof one);
    errno = kept;
}

// Those that end a program of Chorus.
sigset_t ending_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, number);
    return signals;
}

// Without SA_RESTART, so that the signal interrupts a read or a wait.
void handle(int number) {
    struct sigaction wanted {};
    wanted.sa_sigaction = note_signal;
    wanted.sa_flags = SA_SIGINFO;
    wanted.sa_mask = ending_signals();
    if (sigaction(number, &wanted, nullptr) != 0) throw base::system_error("sigaction");
}

Interrupt make_interrupt() {
    event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (event_fd < 0) throw base::system_error("eventfd");
    handle(SIGINT);
    handle(SIGTERM);
    if (!is_ignored(SIGHUP)) handle(SIGHUP);
    // A signal mask is inherited, and some programs start others with signals blocked.
    const sigset_t signals = ending_signals();
    if (sigprocmask(SIG_UNBLOCK, &signals, nullptr) != 0) throw base::system_error("sigprocmask");
    return {};
}

}  // namespace

bool is_ignored(int signal) {
    struct sigaction current {};
    return sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
}

KeptSignals::KeptSignals() {
    const sigset_t signals = ending_signals();
    if (sigprocmask(SIG_BLOCK, &signals, nullptr) != 0) throw base::system_error("sigprocmask");
    fd_ = Fd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!fd_) throw base::system_error("signalfd");
}

bool KeptSignals::requested() const {
    pollfd wanted{fd_.get(), POLLIN, 0};
    return poll(&wanted, 1, 0) > 0;
}

siginfo_t end_request() {
    siginfo_t info{};
    info.si_signo = SIGTERM;
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_int = mark_of_request;
    return info;
}

Interrupt& Interrupt::install() {
    static Interrupt interrupt = make_interrupt();
    return interrupt;
}

int Interrupt::signal() const {
    return first_signal;
}
bool Interrupt::has_come() {
    return first_signal != 0;
}

int Interrupt::fd() const {
    return event_fd;
}

}  // namespace chorus::sys
