// A file that a person names for input: -f, @FILE, what is imported.
#pragma once

#include <cstddef>
#include <string>

namespace chorus::sys {

// Reads a regular file, a FIFO or a descriptor (/dev/fd/N, a shell's <(command)) to its end.
// Error(bad_request) for what cannot be read, and for more than `most` bytes.
std::string read_input_file(const std::string& path, std::size_t most);

}  // namespace chorus::sys
