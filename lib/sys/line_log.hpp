// An append-only file of lines (made with 0600). Writers exclude each other with a lock of their
// own. Existing content is never changed: the path may name an unrelated file by mistake.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sys/fd.hpp"

namespace chorus::sys {

class LineLog {
  public:
    // Makes the file where it is missing. Throws where it is not a regular file.
    explicit LineLog(const std::string& path);

    struct Tail {
        std::string last;  // the last whole line, without its newline; "" where there is none
        std::string torn;  // what follows it: an incomplete write
    };
    // For a line longer than `most` bytes only `torn` is set, to a part of it.
    Tail tail(std::size_t most) const;
    // With one write(2), unless the disk is full; not synced.
    void append(std::string_view bytes);

  private:
    std::string path_;
    Fd fd_;
};

}  // namespace chorus::sys
