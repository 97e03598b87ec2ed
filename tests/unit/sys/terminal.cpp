#include "sys/terminal.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "sys/fd.hpp"
#include "sys/signals.hpp"

namespace chorus::sys {
namespace {

struct Terminal {
    Terminal() {
        int own = -1;
        int other = -1;
        EXPECT_EQ(openpty(&own, &other, nullptr, nullptr, nullptr), 0);
        person = Fd(own);
        program = Fd(other);
    }
    // A terminal passes on what is written to it a moment later, and in pieces.
    std::string shown() const {
        std::string text;
        std::array<char, 256> bytes{};
        pollfd wanted{person.get(), POLLIN, 0};
        while (poll(&wanted, 1, 100) > 0) {
            const ssize_t size = read(person.get(), bytes.data(), bytes.size());
            if (size <= 0) break;
            text.append(bytes.data(), static_cast<std::size_t>(size));
        }
        return text;
    }
    Fd person;
    Fd program;
};

TEST(TerminalSize, is_asked_of_the_terminal) {
    const Terminal terminal;
    const winsize told{.ws_row = 7, .ws_col = 33, .ws_xpixel = 0, .ws_ypixel = 0};
    EXPECT_EQ(terminal_size(terminal.program.get()), TerminalSize{});  // 0 by 0: it does not know
    ASSERT_EQ(ioctl(terminal.program.get(), TIOCSWINSZ, &told), 0);
    EXPECT_EQ(terminal_size(terminal.program.get()), (TerminalSize{.rows = 7, .columns = 33}));
    const Pipe pipe = make_pipe();
    EXPECT_FALSE(terminal_size(pipe.write_end.get()));
}

TEST(HiddenCursor, is_shown_again_at_the_end_of_the_scope) {
    const Terminal terminal;
    { const HiddenCursor hidden(terminal.program.get()); }
    EXPECT_EQ(terminal.shown(), "\x1b[?25l\x1b[?25h");
    show_hidden_cursor();  // nobody has one
    ASSERT_EQ(write(terminal.program.get(), ".", 1), 1);
    EXPECT_EQ(terminal.shown(), ".");
}

template <typename Body>
int wait_status_of(Body body) {
    const pid_t child = fork();
    if (child == 0) {
        body();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

TEST(HiddenCursor, is_shown_again_when_a_signal_ends_the_process) {
    const Terminal terminal;
    const int quit = wait_status_of([&] {
        const HiddenCursor hidden(terminal.program.get());
        raise(SIGQUIT);
    });
    EXPECT_TRUE(WIFSIGNALED(quit) && WTERMSIG(quit) == SIGQUIT);
    EXPECT_EQ(terminal.shown(), "\x1b[?25l\x1b[?25h");
    const int twice = wait_status_of([&] {
        Interrupt::install();
        const HiddenCursor hidden(terminal.program.get());
        raise(SIGINT);
        raise(SIGTERM);
    });
    EXPECT_TRUE(WIFEXITED(twice) && WEXITSTATUS(twice) == 130);
    EXPECT_EQ(terminal.shown(), "\x1b[?25l\x1b[?25h");
}

TEST(HiddenCursor, is_shown_while_the_process_is_stopped) {
    const Terminal terminal;
    const pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);  // a group without a parent in its session would not be stopped
        HiddenCursor hidden(terminal.program.get());
        if (hidden.came_back()) _exit(1);
        raise(SIGTSTP);
        if (!hidden.came_back() || hidden.came_back()) _exit(2);
        raise(SIGTSTP);  // it works twice
        _exit(hidden.came_back() ? 0 : 3);
    }
    int status = 0;
    waitpid(child, &status, WUNTRACED);
    ASSERT_TRUE(WIFSTOPPED(status));
    EXPECT_EQ(terminal.shown(), "\x1b[?25l\x1b[?25h");
    kill(child, SIGCONT);
    waitpid(child, &status, WUNTRACED);
    ASSERT_TRUE(WIFSTOPPED(status));
    EXPECT_EQ(terminal.shown(), "\x1b[?25l\x1b[?25h");
    kill(child, SIGCONT);
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace chorus::sys
