// A file that a person names for output: -o of several programs, the copy of the database.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace chorus::sys {

enum class Overwrite { refuse, allow };

// A new or a regular file is written whole or not at all (write_file of sys/file.hpp). Everything
// else is written in place and stays what it is: a device, a FIFO, what a link leads to, and a
// descriptor that the caller of this program opened (/dev/stdout, /dev/fd/N), at its own offset;
// "-" is stdout.
class OutputFile {
  public:
    // Throws where nothing may be written at the path.
    using Check = std::function<void(const std::string& path)>;

    // Looks before anything is spent. Error(exists) where a regular file is there, or a link leads
    // to one, and `overwrite` refuses; Error(bad_request) for what cannot be written; what `check`
    // throws. A descriptor needs no permission, and stdout is not checked.
    explicit OutputFile(std::string path, Overwrite overwrite = Overwrite::allow,
                        const Check& check = {});

    const std::string& path() const { return path_; }
    bool is_stdout() const { return descriptor_ == 1; }
    // While a FIFO has no reader, or what is no regular file takes nothing, `gives_up` is asked ten
    // times a second: where it says so that is Error(canceled).
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
    int descriptor_ = -1;  // that the path names
    bool in_place_ = false;
};

}  // namespace chorus::sys
