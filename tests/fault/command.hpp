// A child process: its output read as it comes, killed with this process, and never left behind.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fault {

using Words = std::vector<std::string>;
using Variables = std::vector<std::pair<std::string, std::string>>;

std::int64_t now_us();

class Command {
  public:
    // Its environment is `variables` and PATH alone; stdin is a file.
    Command(const Words& words, const Variables& variables,
            const std::string& stdin_path = "/dev/null");
    ~Command();
    Command(Command&& other) noexcept;
    Command& operator=(Command&&) = delete;

    pid_t pid() const { return pid_; }
    // Of stdout; -1 once it has ended.
    int fd() const { return out_; }
    // Reads what is there, of both; false once both have ended.
    bool read_some();
    void kill(int signal) const;
    // What comes out from now on is read and forgotten, and one that has not ended yet will not
    // count as ended well: what a process says on a disk that is cut off is nobody's promise.
    void seal();
    // Reads to the end of both and reaps. The status as a shell gives it: 128 + signal.
    int finish(int timeout_ms = 60'000);
    // Of one that has finished.
    int status() const { return status_; }

    const std::string& out() const { return out_text_; }
    const std::string& err() const { return err_text_; }

  private:
    pid_t pid_ = -1;
    int out_ = -1;
    int err_ = -1;
    int status_ = -1;
    bool sealed_ = false;
    std::string out_text_;
    std::string err_text_;
};

struct Finished {
    int status = 0;
    std::string out;
    std::string err;
};
Finished run(const Words& words, const Variables& variables = {},
             const std::string& stdin_path = "/dev/null");

// Ends the program with status 2: what the test itself needs is not there.
[[noreturn]] void give_up(const std::string& why);

// The path of another test program.
std::string beside_this_program(const std::string& name);

std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);

}  // namespace fault
