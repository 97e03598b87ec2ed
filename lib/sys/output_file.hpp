// An output file that the user names: -o of several programs, a copy of the database.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace chorus::sys {

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
