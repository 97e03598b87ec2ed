// A file that a person names for input: -f, @FILE, what is imported. "-" is stdin.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "sys/fd.hpp"
#include "sys/spool.hpp"

namespace chorus::sys {

// Not one that is open for writing alone, as nohup leaves stdin.
bool can_read(int fd);
// As messages name it.
std::string input_name(const std::string& path);

class InputFile {
  public:
    // Error(bad_request) for what cannot be opened.
    explicit InputFile(const std::string& path);

    const std::string& name() const { return name_; }
    int fd() const { return fd_.get(); }

  private:
    std::string name_;
    Fd fd_;
};

// Reads a regular file, a FIFO or a descriptor (/dev/fd/N, a shell's <(command)) to its end.
// Error(bad_request) for what cannot be read, and for more than `most` bytes.
std::string read_input_file(const std::string& path, std::size_t most);

// For a reader that needs a path of a regular file: what is none is copied first, and a signal
// meanwhile is Error(canceled).
class RegularInput {
  public:
    // As InputFile; Error(failed) where it cannot be copied.
    explicit RegularInput(const std::string& path);

    const std::string& name() const { return name_; }
    const std::string& path() const { return path_; }

  private:
    std::string name_;
    std::string path_;
    std::optional<Spool> copy_;
};

}  // namespace chorus::sys
