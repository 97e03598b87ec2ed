// A file of lines that only grows (0600 where it is made). Who appends keeps others from it by a
// lock of its own. Nothing that is in it is ever changed: it may be another's by mistake.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sys/fd.hpp"

namespace chorus::sys {

class LineLog {
  public:
    // Makes it where it is missing; throws where it is no regular file.
    explicit LineLog(const std::string& path);

    struct Tail {
        std::string last;  // the last whole line, without its newline; "" where there is none
        std::string torn;  // what follows it: a write that was broken off
    };
    // Of a line longer than `most` bytes only `torn` is told, in part.
    Tail tail(std::size_t most) const;
    // With one write(2), unless the disk is full; not synced.
    void append(std::string_view bytes);

  private:
    std::string read_at(std::size_t offset, std::size_t size) const;
    std::string path_;
    Fd fd_;
};

}  // namespace chorus::sys
