#include "sys/signals.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "sys/process.hpp"

namespace chorus::sys {
namespace {

// Handlers belong to the process: each test has one of its own. Its exit status is what `body`
// returns.
template <typename Body>
int status_of(Body body) {
    const pid_t child = fork();
    if (child == 0) _exit(body());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

bool is_readable(int fd) {
    pollfd wanted{fd, POLLIN, 0};
    return poll(&wanted, 1, 0) == 1 && (wanted.revents & POLLIN) != 0;
}

TEST(Interrupt, FirstSignalIsAFlagAndAReadableDescriptor) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        EXPECT_EQ(status_of([number] {
                      ::signal(SIGHUP, SIG_DFL);
                      const Interrupt& interrupt = Interrupt::install();
                      if (interrupt.requested() || is_readable(interrupt.fd())) return 1;
                      raise(number);
                      if (interrupt.signal() != number) return 2;
                      return is_readable(interrupt.fd()) ? 0 : 3;
                  }),
                  0)
            << number;
    }
}

// S-21
TEST(Interrupt, SecondSignalEndsWith130) {
    EXPECT_EQ(status_of([] {
                  Interrupt::install();
                  raise(SIGTERM);
                  raise(SIGINT);
                  return 0;
              }),
              130);
}

TEST(Interrupt, TheSameSignalAtOnceIsItsEcho) {
    EXPECT_EQ(status_of([] {
                  const Interrupt& interrupt = Interrupt::install();
                  raise(SIGTERM);
                  raise(SIGTERM);
                  if (interrupt.signal() != SIGTERM) return 1;
                  usleep(150'000);
                  raise(SIGTERM);
                  return 2;
              }),
              130);
}

// The kernel, the shell and a process that sees its terminal gone each tell it.
TEST(Interrupt, AHangUpIsNoSecondSignal) {
    EXPECT_EQ(status_of([] {
                  ::signal(SIGHUP, SIG_DFL);
                  const Interrupt& interrupt = Interrupt::install();
                  raise(SIGHUP);
                  usleep(150'000);
                  raise(SIGHUP);
                  return interrupt.signal() == SIGHUP ? 0 : 1;
              }),
              0);
}

TEST(Interrupt, ARequestToEndIsNoSecondSignal) {
    for (const bool by_signal : {true, false})
        EXPECT_EQ(status_of([by_signal] {
                      const Interrupt& interrupt = Interrupt::install();
                      if (by_signal)
                          raise(SIGTERM);
                      else if (!ask_to_end(own_identity()))
                          return 1;
                      if (interrupt.signal() != SIGTERM) return 2;
                      usleep(150'000);
                      if (!ask_to_end(own_identity())) return 3;
                      usleep(150'000);
                      raise(SIGINT);
                      return 4;
                  }),
                  130);
}

TEST(Interrupt, SignalsThatWereBlockedComeThrough) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        EXPECT_EQ(status_of([number] {
                      ::signal(SIGHUP, SIG_DFL);
                      sigset_t all;
                      sigfillset(&all);
                      sigprocmask(SIG_SETMASK, &all, nullptr);
                      raise(number);
                      return Interrupt::install().signal() == number ? 0 : 1;
                  }),
                  0)
            << number;
    }
}

TEST(Interrupt, BlockingReadIsInterrupted) {
    EXPECT_EQ(status_of([] {
                  Interrupt::install();
                  int ends[2];
                  if (pipe(ends) != 0) return 1;
                  const pid_t parent = getpid();
                  if (fork() == 0) {
                      usleep(100'000);
                      kill(parent, SIGTERM);
                      _exit(0);
                  }
                  char byte = 0;
                  return read(ends[0], &byte, 1) < 0 && errno == EINTR ? 0 : 2;
              }),
              0);
}

TEST(Interrupt, HangupStaysIgnoredUnderNohup) {
    EXPECT_EQ(status_of([] {
                  ::signal(SIGHUP, SIG_IGN);
                  const Interrupt& interrupt = Interrupt::install();
                  raise(SIGHUP);
                  return interrupt.requested() ? 1 : 0;
              }),
              0);
}

TEST(Interrupt, InstallingTwiceIsOnce) {
    EXPECT_EQ(status_of([] {
                  Interrupt& first = Interrupt::install();
                  const int fd = first.fd();
                  return &Interrupt::install() == &first && first.fd() == fd ? 0 : 1;
              }),
              0);
}

}  // namespace
}  // namespace chorus::sys
