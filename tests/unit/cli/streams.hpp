// The standard streams of this process, exchanged for a while.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "support/scratch.hpp"
#include "sys/fd.hpp"

namespace chorus::cli {

// One descriptor is another until the end of the scope.
class Exchanged {
  public:
    Exchanged(int number, int other)
        : number_(number), before_(fcntl(number, F_DUPFD_CLOEXEC, 10)) {
        dup2(other, number);
    }
    ~Exchanged() { dup2(before_.get(), number_); }
    Exchanged(const Exchanged&) = delete;
    Exchanged& operator=(const Exchanged&) = delete;

  private:
    int number_;
    sys::Fd before_;
};

// stdin is a pipe that holds `text`; it ends unless its writer stays.
class Input {
  public:
    enum class Writer { gone, stays };
    explicit Input(const std::string& text, Writer writer = Writer::gone)
        : pipe_(sys::make_pipe()) {
        exchanged_.emplace(STDIN_FILENO, pipe_.read_end.get());
        sys::write_all(pipe_.write_end.get(), text, "pipe");
        if (writer == Writer::gone) pipe_.write_end.reset();
    }

  private:
    sys::Pipe pipe_;
    std::optional<Exchanged> exchanged_;
};

// What is printed meanwhile.
class Printed {
  public:
    struct Streams {
        std::string out;
        std::string err;
    };
    template <typename Act>
    Streams by(Act act) {
        {
            const sys::Fd out(open((scratch_ / "out").c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
            const sys::Fd err(open((scratch_ / "err").c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
            const Exchanged stdout_now(STDOUT_FILENO, out.get());
            const Exchanged stderr_now(STDERR_FILENO, err.get());
            act();
        }
        return {test::text_of(scratch_ / "out"), test::text_of(scratch_ / "err")};
    }

  private:
    test::Scratch scratch_;
};

}  // namespace chorus::cli
