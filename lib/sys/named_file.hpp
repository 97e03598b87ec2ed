// Files that the user names: input (-f, @FILE, a file to import) and output (-o of several
// programs, a copy of the database).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sys/fd.hpp"

namespace chorus::sys {

// False for a descriptor that is open only for writing, as nohup leaves stdin.
bool can_read(int fd);
// The name in messages.
std::string input_name(const std::string& path);

class InputFile {
  public:
    // Throws Error(bad_request) where it cannot be opened.
    explicit InputFile(const std::string& path);

    const std::string& name() const { return name_; }
    int fd() const { return fd_.get(); }

  private:
    std::string name_;
    Fd fd_;
};

// Reads a regular file, a FIFO or a descriptor (/dev/fd/N, a shell's <(command)) to its end. Throws
// Error(bad_request) where it cannot be read or has more than `most` bytes.
std::string read_input_file(const std::string& path, std::size_t most);

// A temporary regular file of this process, in TMPDIR, or in /tmp where that names no directory;
// 0600. The destructor removes it.
class Spool {
  public:
    Spool();
    ~Spool();
    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;

    const std::string& path() const { return path_; }
    int fd() const { return fd_.get(); }

  private:
    std::string path_;
    Fd fd_;
};

// For a reader that needs the path of a regular file: any other input is copied first. A signal
// meanwhile is Error(canceled).
class RegularInput {
  public:
    // Throws as InputFile, and Error(failed) where it cannot be copied.
    explicit RegularInput(const std::string& path);

    const std::string& name() const { return name_; }
    const std::string& path() const { return path_; }

  private:
    std::string name_;
    std::string path_;
    std::optional<Spool> copy_;
};

enum class Overwrite { refuse, allow };

// A new or a regular file is written whole or not at all (write_file of sys/file.hpp). Anything
// else is written in place: a device, a FIFO, the target of a link, and a descriptor that the
// caller of this program opened (/dev/stdout, /dev/fd/N), at its own offset. "-" is stdout.
class OutputFile {
  public:
    // Throws where the path may not be written.
    using Check = std::function<void(const std::string& path)>;

    // Checks the path before any work is done. Throws Error(exists) where a regular file, or a link
    // to one, exists and `overwrite` refuses; Error(bad_request) for what cannot be written; what
    // `check` throws. A descriptor needs no permission, and stdout is not checked.
    explicit OutputFile(std::string path, Overwrite overwrite = Overwrite::allow,
                        const Check& check = {});

    const std::string& path() const { return path_; }
    bool is_stdout() const { return descriptor_ == 1; }
    // Whether it can be written several times, each time as a whole: a regular file, or none yet.
    bool is_regular() const;
    // While a FIFO has no reader, or a file that is not regular takes nothing, calls `gives_up` ten
    // times a second. Throws Error(canceled) where it returns true.
    void write(
        std::string_view content,
        const std::function<bool()>& gives_up = [] { return false; }) const;
    // `write` gets the descriptor to write to.
    void stream(const std::function<void(int fd)>& write) const;
    // `fill` gets the path of a regular file and a descriptor of it; what it leaves there is the
    // output.
    void fill(const std::function<void(const std::string& file, int fd)>& fill) const;

  private:
    bool is_in_place() const { return in_place_ || descriptor_ >= 0; }
    void put(const std::function<void(const std::string& file, int fd)>& fill) const;
    void write_in_place(const std::function<void(int fd)>& write) const;
    void write_stream(std::string_view content, const std::function<bool()>& gives_up) const;

    std::string path_;
    Overwrite overwrite_;
    int descriptor_ = -1;  // named by the path, or -1
    bool in_place_ = false;
};

}  // namespace chorus::sys
