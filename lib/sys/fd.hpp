// A file descriptor that closes itself. Every one Chorus opens is close-on-exec.
#pragma once

#include <fcntl.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace chorus::sys {

// Opens a file to read: neither a FIFO without a writer blocks, nor becomes a terminal the
// controlling one.
inline constexpr int read_only = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;

class Fd {
  public:
    Fd() = default;
    explicit Fd(int number) : number_(number) {}
    Fd(Fd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Fd& operator=(Fd&& other) noexcept;
    ~Fd() { reset(); }

    int get() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }
    int release() { return std::exchange(number_, -1); }
    void reset();

  private:
    int number_ = -1;
};

// A buffer for reading and writing in pieces. On the heap, because the stack may be small (ulimit
// -s).
class Buffer {
  public:
    char* data() { return bytes_.get(); }
    static constexpr std::size_t size() { return 65536; }

  private:
    std::unique_ptr<char[]> bytes_ = std::make_unique_for_overwrite<char[]>(size());
};

struct Pipe {
    Fd read_end;
    Fd write_end;
};
Pipe make_pipe();
// An unnamed file in memory that holds the text, to be read from its start.
Fd memory_file(std::string_view text);
// A path that leads to an open file, whatever its own path names now.
std::string proc_path(int fd);
// Returns the kernel's path of an open file; "" where it has none or a path that is too long.
std::string path_of(int fd);
// Redirects the descriptor to /dev/null.
void redirect_to_null(int fd);

// Reads to the end. Throws Error(failed) "what: more than N bytes" past `most`.
std::string read_all(int fd, std::size_t most, std::string_view what);
// Throws the system's error. Continues after EINTR and short writes.
void write_all(int fd, std::string_view bytes, std::string_view what);
// The same, but they return false with errno set on failure; EFBIG for more than `most`.
bool try_read_all(int fd, std::size_t most, std::string& bytes);
bool try_write_all(int fd, std::string_view bytes);
// Reads `size` bytes at `offset`, or what there is of them, of a file. Throws Error(failed).
std::string read_part(int fd, std::size_t offset, std::size_t size, std::string_view what);
// Writes all bytes to a reader that may not read. While the pipe, socket or terminal takes nothing,
// calls `gives_up` ten times a second; where that returns true, the rest is not written and the
// result is false with errno ETIMEDOUT. Other errors as try_write_all().
bool try_write_until(int fd, std::string_view bytes, const std::function<bool()>& gives_up);
// Copies what is left to read. Throws Error(failed) that names `what`.
void copy_rest(int from, int to, std::string_view what);

}  // namespace chorus::sys
