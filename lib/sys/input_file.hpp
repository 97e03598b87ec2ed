// An input file that the user names: -f, @FILE, a file to import. "-" is stdin.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "sys/fd.hpp"
#include "sys/spool.hpp"

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

}  // namespace chorus::sys
